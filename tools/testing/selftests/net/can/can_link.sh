#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# "ip link" on a controller of the sja1000 family: which settings are accepted, shown
# or rejected, and when, and that frames pass between two controllers of one bus. The
# devices are those of the kvaser_pci driver, which QEMU can emulate (-device
# kvaser_pci).
#
# Only promises of the driver and of the CAN device core are tested. QEMU's
# model knows no bit timing, no errors and no ACK bit, does not listen silently, and
# never sends the frames of a controller in loopback mode, so of loopback only the
# setting is tested. A remote request that asks for bytes makes the model lose its
# position in its receive FIFO for good, so none is sent.
#
# sim_link.sh runs these cases on simulated controllers.
#
# Controllers that are connected to something must not receive frames of a test. So
# it takes only those that CAN_CONTROLLERS names ("can0 can1", all of a card), and all
# on a machine of the tests' own (CAN_TEST_MACHINE=1), but none that are up. They are
# unbound from the driver and bound again, which makes them new, before and after the
# test; those that had been configured are configured again. Each case moves the two
# of its bus into its own network namespace.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

CASES=(
	"unconfigured: a new controller does not start without a bit rate"
	"bitrate: usual bit rates are exact, with the usual sample points"
	"bitrate_near: the nearest possible bit rate is set and shown"
	"bitrate_rejected: a rejected bit rate changes nothing"
	"sample_point: the nearest possible one that is not later"
	"segments: the segments of a bit can be given"
	"segments_rejected: segments beyond the controller are rejected"
	"modes: each control mode goes on and off and is shown"
	"modes_rejected: there is no CAN FD, and nothing to terminate"
	"busy: a running controller does not change"
	"restart: only in bus-off, and only by hand or by itself"
	"state: stopped or error-active"
	"not_deleted: controllers are neither created nor deleted"
	"frames: every frame passes, both ways"
	"frames_modes: modes of transmission do not hinder frames"
	"listen_only: frames are received and none is sent"
	"counters: frames and bytes of data are counted"
	"namespace: a controller comes back from a deleted namespace"
)

DRIVER=/sys/bus/pci/drivers/kvaser_pci
CLOCK=8000000

# Modes as ip names and shows them, in the order in which it shows them.
MODES=(loopback listen-only triple-sampling one-shot berr-reporting
       presume-ack cc-len8-dlc)

##############################################################################
# The devices, in the namespace of the test

# card_new() - unbind a card from the driver and bind it again
# @card: name of its directory
# @*: names for its interfaces, in the order of its channels
card_new()
{
	local card=$1 path name id

	shift
	echo "$card" > $DRIVER/unbind
	echo "$card" > $DRIVER/bind
	if command -v udevadm > /dev/null; then
		udevadm settle
	fi
	for path in "$DRIVER/$card"/net/*; do
		name=${path##*/}
		id=$((16#$(sed s/0x// "$path/dev_id") + 1))
		if [ "$name" != "${!id}" ]; then
			ip link set "$name" name "${!id}"
		fi
	done
}

# card_names() - interfaces of a card in the order of its channels, in REPLY
#
# Return: 1 when one of them is up, or gone.
card_names()
{
	local path id names=()

	for path in "$DRIVER/$1"/net/*; do
		[ -e "$path" ] || return 1
		(($(< "$path/flags") & 1)) && return 1
		id=$((16#$(sed s/0x// "$path/dev_id")))
		names[id]=${path##*/}
	done
	REPLY="${names[*]}"
}

# card_allowed() - may the test use all of these controllers?
card_allowed()
{
	local name

	can_own_machine && return
	for name; do
		[[ " ${CAN_CONTROLLERS:-} " = *" $name "* ]] || return
	done
}

declare -A CARDS=()
declare -A CONFIG=()

cards_new()
{
	local card

	for card in "${!CARDS[@]}"; do
		# shellcheck disable=SC2086 # these are words
		card_new "$card" ${CARDS[$card]}
	done
}

# restore() - leave the devices as they were
restore()
{
	local name

	cards_new
	for name in "${!CONFIG[@]}"; do
		# shellcheck disable=SC2086 # these are words
		ip link set "$name" type can ${CONFIG[$name]}
	done
}

# find_cards() - find the cards that are not used, with their configuration
find_cards()
{
	local path card name mode

	for path in "$DRIVER"/*:*; do
		[ -e "$path" ] || continue
		card=${path##*/}
		card_names "$card" || continue
		# shellcheck disable=SC2086 # these are words
		card_allowed $REPLY || continue
		CARDS[$card]=$REPLY
		for name in $REPLY; do
			read_settings "$name"
			if [ "$BITRATE" ]; then
				CONFIG[$name]="$SEGMENTS restart-ms $RESTART_MS"
				for mode in ${MODES_ON//,/ }; do
					CONFIG[$name]+=" ${mode,,} on"
				done
			fi
		done
	done
}

can_prepare()
{
	local devices pair

	can_need ip candump cansend nsenter
	can_own_machine || [ "${CAN_CONTROLLERS:-}" ] ||
		can_skip_all "CAN_CONTROLLERS names no controllers for tests"
	can_modules kvaser_pci can-raw || can_skip_all "no kvaser_pci driver"

	trap restore EXIT
	trap 'exit 143' HUP INT TERM
	find_cards
	devices="${CARDS[*]}"
	[[ $devices = *" "* ]] || can_skip_all "fewer than two controllers"

	cards_new
	pair=$(PAIR=$devices can_case find_pair)
	read -r -a pair <<< "${pair##*pair: }"
	[ ${#pair[@]} -eq 2 ] || can_skip_all "no two controllers on one bus"
	export PAIR="${pair[*]}"
	cards_new
}

# Not a case of its own: finds two controllers on one bus. One of them receives a
# frame that the other one sends.
test_find_pair()
{
	local device

	move_in
	for device in $PAIR; do
		can_do ip link set "$device" up type can bitrate 500000
	done
	can_dump
	for device in $PAIR; do
		can_send "$device" 555#A5
		while read -r -t "$WAIT_TIMEOUT" -u "$CAN_DUMP_FD" _ REPLY _; do
			if [ "$REPLY" != "$device" ]; then
				echo "pair: $device $REPLY"
				return
			fi
		done
		can_do ip link set "$device" down
	done
}

##############################################################################
# Steps of the cases

# move_in() - fetch the two controllers: $A and $B
move_in()
{
	local device

	read -r A B _ <<< "$PAIR"
	for device in $PAIR; do
		can_do nsenter --net="/proc/$PPID/ns/net" \
			ip link set "$device" netns $$
	done
}

# begin() - fetch both, at 500 kbit/s, with none of the settings of earlier cases
begin()
{
	local device mode off=()

	move_in
	for mode in "${MODES[@]}"; do
		off+=("$mode" off)
	done
	for device in $PAIR; do
		can "$device" bitrate 500000 restart-ms 0 "${off[@]}"
	done
}

# move_out() - give them back
move_out()
{
	local device

	for device in $PAIR; do
		ip link set "$device" netns "$PPID" 2> /dev/null
	done
}

case_cleanup()
{
	move_out
}

# can() - configure a controller
can()
{
	local device=$1

	shift
	can_do ip link set "$device" type can "$@"
}

# rejected() - a configuration is rejected with this message, and unchanged
rejected()
{
	local text=$1 device=$2 before

	shift 2
	before=$(ip -d link show "$device")
	can_rejected 2 "$text" ip link set "$device" "$@"
	can_equal "$device" "$before" "$(ip -d link show "$device")"
}

# set_all() - "ip link set" for several controllers
# @what: words that follow the name
set_all()
{
	local what=$1 device

	shift
	for device; do
		# shellcheck disable=SC2086 # these are words
		can_do ip link set "$device" $what
	done
}

up()
{
	set_all up "$@"
}

down()
{
	set_all down "$@"
}

# read_settings() - read the output of ip for a controller into variables
#
# BITRATE and SEGMENTS are empty when there is no bit timing, ERRORS may be while the interface
# is down.
read_settings()
{
	local number='([0-9]+)' text rest
	local head='can (<([A-Z0-9,-]+)> )?state ([A-Z-]+) (.*)'
	local errors="berr-counter tx $number rx $number"
	local restart="restart-ms $number"
	local timing="bitrate $number sample-point 0\.$number"
	local segments='tq [0-9]+ prop-seg [0-9]+ phase-seg1 [0-9]+ '

	segments+='phase-seg2 [0-9]+ sjw [0-9]+'
	text=$(ip -d link show "$1")
	[[ $text =~ $head ]] || can_fail "cannot read: $text"
	MODES_ON=${BASH_REMATCH[2]}
	STATE=${BASH_REMATCH[3]}
	rest=${BASH_REMATCH[4]}

	# since 6.12.118, they are not read while the interface is down
	ERRORS=
	if [[ $rest =~ $errors ]]; then
		ERRORS="${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
	elif [[ $text == *,UP* ]]; then
		can_fail "no error counters: $text"
	fi
	[[ $rest =~ $restart ]] || can_fail "no restart-ms: $text"
	RESTART_MS=${BASH_REMATCH[1]}

	BITRATE="" SAMPLE_POINT="" SEGMENTS="" BRP=""
	if [[ $rest =~ $timing ]]; then
		BITRATE=${BASH_REMATCH[1]}
		SAMPLE_POINT=${BASH_REMATCH[2]}
		[[ $rest =~ ($segments)\ brp\ $number ]] ||
			can_fail "no segments: $text"
		SEGMENTS=${BASH_REMATCH[1]}
		BRP=${BASH_REMATCH[2]}
	fi
}

# shows() - read the settings of a controller, and compare variables
# @*: name and value of each
shows()
{
	read_settings "$1"
	shift
	while [ $# -gt 0 ]; do
		can_equal "$1" "$2" "${!1}"
		shift 2
	done
}

# timing_is() - does the bit timing shown agree with itself and with this?
# @bitrate: in bits per second
# @sample_point: in thousandths of a bit
timing_is()
{
	local device=$1 bitrate=$2 sample_point=$3 tq prop ps1 ps2 sjw quanta

	shows "$device" BITRATE "$bitrate" SAMPLE_POINT "$sample_point"
	read -r _ tq _ prop _ ps1 _ ps2 _ sjw <<< "$SEGMENTS"

	# sja1000: one quantum of synchronisation, tseg1, tseg2
	quanta=$((1 + prop + ps1 + ps2))
	can_equal "length of a quantum" $((BRP * 1000000000 / CLOCK)) "$tq"
	can_equal "bit rate of the segments" "$bitrate" \
		$((CLOCK / (BRP * quanta)))
	can_equal "sample point of the segments" \
		"$((10#$sample_point))" $(((1 + prop + ps1) * 1000 / quanta))
	((prop + ps1 >= 1 && prop + ps1 <= 16 && ps2 >= 1 && ps2 <= 8 &&
	  sjw >= 1 && sjw <= 4 && BRP >= 1 && BRP <= 64)) ||
		can_fail "beyond the controller: $SEGMENTS brp $BRP"
}

# running() - both controllers at work
running()
{
	begin
	up "$A" "$B"
	can_dump
}

# passes() - a frame reaches the other controller, and sockets on its own
passes()
{
	local from=$1 to=$2 frame=$3

	can_send "$from" "$frame"
	can_expect_set "$from $frame" "$to $frame"
}

##############################################################################
# Configuration

test_unconfigured()
{
	move_in
	shows "$A" BITRATE "" STATE STOPPED MODES_ON "" RESTART_MS 0
	rejected "Invalid argument" "$A" up
}

test_bitrate()
{
	local line

	begin
	for line in 1000000:750 800000:800 500000:875 250000:875 125000:875 \
		    100000:875 50000:875 20000:875 10000:875; do
		can "$A" bitrate "${line%:*}"
		timing_is "$A" "${line%:*}" "${line#*:}"
	done

	# 96 and 240 periods of the clock
	can "$A" bitrate 83333
	timing_is "$A" 83333 875
	can "$A" bitrate 33333
	shows "$A" BITRATE 33333

	# the slowest: 64 * 25 periods, of which the last 8 * 64 come after
	# the sample point
	can "$A" bitrate 5000
	timing_is "$A" 5000 680
}

# 5000 is the slowest, 8000000 / 3 the fastest
test_bitrate_near()
{
	begin
	can "$A" bitrate 4990
	shows "$A" BITRATE 5000
	can "$A" bitrate 2600000
	shows "$A" BITRATE 2666666
}

test_bitrate_rejected()
{
	local bitrate

	begin
	can "$A" bitrate 250000 restart-ms 5
	for bitrate in 1 1000 4700 2900000 8000000; do
		rejected "" "$A" type can bitrate $bitrate
	done
	rejected "" "$A" type can bitrate 500000 sample-point 1.0
}

# sample_point_of() - search all divisions of a bit, result in REPLY
# @bitrate: divides the clock
# @wanted: in thousandths
sample_point_of()
{
	local periods=$((CLOCK / $1)) wanted=$2 quanta tseg2 point

	REPLY=0
	for ((quanta = 3; quanta <= 25; quanta++)); do
		((periods % quanta == 0 && periods / quanta <= 64)) || continue
		for ((tseg2 = 1; tseg2 <= 8; tseg2++)); do
			((quanta - 1 - tseg2 >= 1 && quanta - 1 - tseg2 <= 16)) ||
				continue
			point=$(((quanta - tseg2) * 1000 / quanta))
			if ((point <= wanted && point > REPLY)); then
				REPLY=$point
			fi
		done
	done
}

test_sample_point()
{
	local bitrate wanted

	begin
	for bitrate in 500000 250000 100000; do
		for wanted in 500 600 750 800 875 900 999; do
			sample_point_of $bitrate $wanted
			can "$A" bitrate $bitrate sample-point 0.$wanted
			timing_is "$A" $bitrate "$REPLY"
		done
	done
}

# segments() - words for ip in ASKED: tq, prop-seg, phase-seg1, phase-seg2 and sjw
segments()
{
	ASKED=(tq "$1" prop-seg "$2" phase-seg1 "$3" phase-seg2 "$4")
	[ $# -lt 5 ] || ASKED+=(sjw "$5")
}

test_segments()
{
	local line bitrate point args

	begin
	# bit rate, sample point and segments; the last ones are the longest
	for line in "500000 875 125 6 7 2 1" "250000 687 250 2 8 5 4" \
		    "5000 680 8000 8 8 8 4"; do
		read -r bitrate point args <<< "$line"
		# shellcheck disable=SC2086 # these are words
		segments $args
		can "$A" "${ASKED[@]}"
		timing_is "$A" "$bitrate" "$point"
		can_equal "segments" "${ASKED[*]}" "$SEGMENTS"
	done

	# the shortest
	segments 125 0 1 1 1
	can "$A" "${ASKED[@]}"
	timing_is "$A" 2666666 666

	# without an sjw, half of phase-seg2
	segments 125 2 8 5
	can "$A" "${ASKED[@]}"
	shows "$A" SEGMENTS "${ASKED[*]} sjw 2"
}

test_segments_rejected()
{
	local args

	begin
	for args in "125 9 8 2 1" "125 0 0 2 1" "125 6 7 9 1" "125 6 7 0 1" \
		    "125 6 7 8 5" "125 6 7 2 3" "125 14 2 8 3" "1 6 7 2 1" \
		    "8125 6 7 2 1"; do
		# shellcheck disable=SC2086 # these are words
		segments $args
		rejected "" "$A" type can "${ASKED[@]}"
	done

	# a bit rate or a time quantum, not both
	rejected "" "$A" type can bitrate 500000 tq 125
}

test_modes()
{
	local mode all=() shown=

	begin
	for mode in "${MODES[@]}"; do
		can "$A" "$mode" on
		shows "$A" MODES_ON "${mode^^}"
		up "$A"
		shows "$A" MODES_ON "${mode^^}" STATE ERROR-ACTIVE
		down "$A"
		can "$A" "$mode" off
		shows "$A" MODES_ON ""

		all+=("$mode" on)
		shown+=,${mode^^}
	done

	# they are independent, and of the bit timing
	can "$A" "${all[@]}"
	shows "$A" MODES_ON "${shown#,}"
	can "$A" one-shot off bitrate 250000
	read_settings "$A"
	can_equal "modes" "${shown#,}" "${MODES_ON/,BERR/,ONE-SHOT,BERR}"
	can "$A" one-shot on
	shows "$A" BITRATE 250000 MODES_ON "${shown#,}"
}

test_modes_rejected()
{
	local args mtu refusals="Operation not supported"

	# of later kernels
	refusals+="|requested control mode|both nominal and FD|requires CAN FD|not configurable"
	begin
	can "$A" one-shot on
	for args in "fd on" "bitrate 500000 dbitrate 2000000 fd on" \
		    "bitrate 500000 dbitrate 2000000" "fd-non-iso on" \
		    "one-shot off fd-non-iso on" "termination 120"; do
		# shellcheck disable=SC2086 # these are words
		rejected "$refusals" "$A" type can $args
	done
	for mtu in 72 15; do
		rejected "Invalid argument|mtu greater than|mtu less than" "$A" mtu $mtu
	done

	# a mode that is off already can be switched off
	can "$A" fd off fd-non-iso off
}

test_busy()
{
	local busy="Device or resource busy" mode args

	begin
	up "$A"
	for args in "bitrate 250000" "bitrate 500000" "restart-ms 100" \
		    "tq 125 prop-seg 6 phase-seg1 7 phase-seg2 2"; do
		# shellcheck disable=SC2086 # these are words
		rejected "$busy" "$A" type can $args
	done
	rejected "$busy|mtu greater than" "$A" mtu 72
	for mode in "${MODES[@]}"; do
		rejected "$busy" "$A" type can "$mode" on
		rejected "$busy" "$A" type can "$mode" off
	done
	down "$A"
	can "$A" bitrate 250000 restart-ms 100
}

test_restart()
{
	begin
	shows "$A" RESTART_MS 0
	rejected "Invalid argument" "$A" type can restart
	up "$A"
	rejected "Device or resource busy" "$A" type can restart
	down "$A"

	can "$A" restart-ms 100
	shows "$A" RESTART_MS 100
	up "$A"
	rejected "Invalid argument" "$A" type can restart
	down "$A"
	can "$A" restart-ms 0
	shows "$A" RESTART_MS 0
}

test_state()
{
	local i

	begin
	for i in 1 2 3; do
		shows "$A" STATE STOPPED
		up "$A"
		shows "$A" STATE ERROR-ACTIVE ERRORS "0 0"
		down "$A"
	done
	shows "$A" STATE STOPPED BITRATE 500000
}

test_not_deleted()
{
	begin
	can_rejected 2 "Operation not supported" \
		ip link add can99 type can bitrate 500000

	# this is accepted, and nothing happens
	can_do ip link del "$A"
	shows "$A" BITRATE 500000
}

##############################################################################
# Frames

test_frames()
{
	local frame bytes=1122334455667788 len frames=()

	frames+=(000# 7FF#A5 00000000# 1FFFFFFF#A5 12345678#0102030405060708
		 123#R 12345678#R)
	for ((len = 0; len <= 8; len++)); do
		frames+=("2A5#${bytes:0:len * 2}")
	done

	running
	for frame in "${frames[@]}"; do
		passes "$A" "$B" "$frame"
		passes "$B" "$A" "$frame"
	done
}

test_frames_modes()
{
	local mode

	running
	for mode in one-shot triple-sampling berr-reporting presume-ack \
		    cc-len8-dlc; do
		down "$A" "$B"
		set_all "type can $mode on" "$A" "$B"
		up "$A" "$B"
		passes "$A" "$B" 123#11
		passes "$B" "$A" 12345678#2233
		down "$A" "$B"
		set_all "type can $mode off" "$A" "$B"
		up "$A" "$B"
	done
	passes "$A" "$B" 124#11
}

# counters() - counters of a controller, in COUNTED
#
# The index is direction and number: RX or TX, 1 for bytes, 2 for packets, 3 for
# errors, 4 for dropped frames.
declare -A COUNTED=()

counters()
{
	local line direction="" numbers i

	while read -r line; do
		if [ "$direction" ]; then
			read -r -a numbers <<< "$line"
			for i in 1 2 3 4; do
				COUNTED[$direction$i]=${numbers[i - 1]}
			done
		fi
		case $line in
		RX:*) direction=RX ;;
		TX:*) direction=TX ;;
		*) direction="" ;;
		esac
	done < <(ip -s link show "$1")
}

# counted() - how much a counter has grown
# @before: its value before
#
# Prints it, fit for a subshell.
counted()
{
	local device=$1 index=$2 before=$3

	counters "$device"
	echo $((COUNTED[$index] - before))
}

# With presume-ack, the sender needs no ACK, and the other one gives none.
test_listen_only()
{
	local dropped sent received refused out

	begin
	can "$A" listen-only on
	can "$B" presume-ack on
	up "$A" "$B"
	can_dump
	counters "$A"
	dropped=${COUNTED[TX4]} sent=${COUNTED[TX2]}
	counters "$B"
	received=${COUNTED[RX2]}

	passes "$B" "$A" 123#11
	passes "$B" "$A" 12345678#R
	can_equal "dropped" 0 "$(counted "$A" TX4 "$dropped")"

	# later kernels do not let programs send: nothing comes to the driver
	if out=$(cansend "$A" 100#A1 2>&1); then
		can_send "$A" 100#A2
		refused=2
	else
		[[ $out = *"Permission denied"* ]] || can_fail "cansend: $out"
		refused=0
	fi
	passes "$B" "$A" 7FF#A3
	can_equal "dropped" $refused "$(counted "$A" TX4 "$dropped")"
	can_equal "sent" 0 "$(counted "$A" TX2 "$sent")"
	can_equal "came through" 0 "$(counted "$B" RX2 "$received")"
}

has_counted()
{
	[ "$(counted "$1" "$2" "$3")" -ge "$4" ]
}

# The sender counts a frame a moment after sockets have received it, so wait.
test_counters()
{
	local line device index want key len bytes=1122334455667788
	local -A before=()

	running
	for device in "$A" "$B"; do
		counters "$device"
		for index in "${!COUNTED[@]}"; do
			before[$device$index]=${COUNTED[$index]}
		done
	done
	for ((len = 0; len <= 8; len++)); do
		passes "$A" "$B" "123#${bytes:0:len * 2}"
	done
	passes "$A" "$B" 123#R

	# 0 + 1 + ... + 8 bytes in 10 frames
	for line in "$A TX1 36" "$A TX2 10" "$A TX3 0" "$A TX4 0" \
		    "$B RX1 36" "$B RX2 10" "$B RX3 0" "$B RX4 0" \
		    "$A RX1 0" "$A RX2 0" "$B TX1 0" "$B TX2 0"; do
		read -r device index want <<< "$line"
		key=$device$index
		slowwait "$WAIT_TIMEOUT" has_counted "$device" "$index" \
			"${before[$key]}" "$want"
		can_equal "$index of $device" "$want" \
			"$(counted "$device" "$index" "${before[$key]}")"
	done
}

# at_home() - is the controller in the namespace of the test?
at_home()
{
	nsenter --net="/proc/$PPID/ns/net" ip link show "$1" > /dev/null 2>&1
}

test_namespace()
{
	local inner=""

	[ "/proc/$PPID/ns/net" -ef /proc/1/ns/net ] ||
		can_skip "not in the initial network namespace"
	begin
	can "$A" bitrate 125000 one-shot on
	setup_ns inner || can_skip "no named network namespaces"
	can_do ip link set "$A" netns "$inner"
	can_do ip -n "$inner" link set "$A" up
	can_rejected 1 "" ip link show "$A"
	cleanup_ns "$inner"

	slowwait "$WAIT_TIMEOUT" at_home "$A" || can_fail "$A is gone"
	can_do nsenter --net="/proc/$PPID/ns/net" ip link set "$A" netns $$
	shows "$A" STATE STOPPED MODES_ON ONE-SHOT
	timing_is "$A" 125000 875
	[[ $(ip link show "$A") = *" state DOWN "* ]] || can_fail "$A is up"
}

# not for sim_link.sh, which brings its own devices
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	can_main "$@"
fi
