#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canugw on virtual interfaces. canmix sends a mixture of frames to the gateway, and verifies
# the forwarded frames.
#
#	canmix a0 ══ a1 canugw b1 ══ b0 canmix		vxcan pairs
#	canmix v0 ─── canugw ─── v1 canmix		vcan with echo=1, where canmix is another
#							program on the same host
#
# Takes some minutes in an emulated VM.
#
# check calls the functions below.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

VARIANTS="read-write readnb-write readbusy-write readbusynoirq-write mmap-mmap mmap-write
	mmapbusy-mmap mmapbusy-write readnb-mmap mmsg-mmsg uring"
# One variant for each method to receive, and one for each method to send
RX_VARIANTS="read-write readnb-write mmap-write mmapbusy-write mmsg-mmsg uring"
TX_VARIANTS="read-write mmap-mmap mmsg-mmsg uring"
FRAMES=10000
vcan_is_ours=

begin 62 "$@"
need_modules vxcan can-raw
need_programs "$BIN/canugw" "$HELPERS/canmix" cangen cansend candump setpriv python3 tc

# Prefix of commands that need the /sys of this network namespace
# shellcheck disable=SC2016
WITH_SYS=(unshare --mount -- sh -c 'mount -t sysfs sysfs /sys && exec "$@"' sh)

UNPRIVILEGED=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all
	--inh-caps -all)

# The settings that readbusynoirq-write requires, if the kernel has them; they do not affect
# other variants.
defer_interrupts() {
	local name

	for name; do
		"${WITH_SYS[@]}" sh -c "cd /sys/class/net/$name &&
			[ ! -e napi_defer_hard_irqs ] ||
			{ echo 100 >napi_defer_hard_irqs && echo 200000 >gro_flush_timeout; }"
	done
}

# offered VARIANT INTERFACE OTHER: the kernel supports the variant; if not, the message of canugw
# is in err.
offered() {
	run "${WITH_SYS[@]}" "$BIN/canugw" --variant "$1" --idle-timeout 1ms "$2" "$3"
	! { [ "$status" = 3 ] && [[ $err == *"this kernel"* || $err == *"is disabled here"* ]]; }
}

# Clean up after a test: kill its programs, and restore the interfaces.
restore() {
	local left

	for left in $(jobs -p); do
		kill -KILL "$left" 2>/dev/null || true
		wait "$left" 2>/dev/null || true
	done
	tc qdisc del dev b1 root 2>/dev/null || true
	ip link set a1 up
	ip link set b1 up
}

# gateway OPTION...: start canugw with JSON in gw.out, and wait until it is ready
gateway() {
	start gw "${WITH_SYS[@]}" "$BIN/canugw" --json "$@" && until_says gw "ready:" "$pid"
}

# gateway_ended STATUS [SIGNAL]: send SIGNAL, if given; canugw exits with STATUS
gateway_ended() {
	ended "$pid" "${2:-}" && cat "$WORK/gw.err" && [ "$status" = "$1" ]
}

# counts EXPRESSION: the Python expression is true; c: counts in gw.out
counts() {
	json gw "(lambda c: $1)(r['counts'])"
}

mix() {
	"$HELPERS/canmix" "$@"
}

# All frames arrive unchanged and in order, except for error message frames, which mapped rings
# receive.
forwards() {
	local errors=0

	case $1 in
	mmap*) errors=$(((FRAMES + 6) / 7)) ;;
	esac
	gateway --variant "$1" --count "$FRAMES" a1 b1 &&
		mix --count "$FRAMES" --errors a0 b0 &&
		gateway_ended 0 &&
		json gw "r['complete'] and r['options']['variant'] == '$1'" &&
		counts "c['forwarded'] == $FRAMES and c['lost'] == 0" &&
		counts "c['error_frames'] == $errors and c['received'] == $FRAMES + $errors"
}

# Only frames of another program on this host are forwarded, in both directions.
forwards_both() {
	gateway --variant "$1" --both v0 v1 &&
		mix --both --count 1000 v0 v1 &&
		gateway_ended 0 INT &&
		counts "c['received'] == c['forwarded'] == 2 * c['in_to_out_forwarded'] == 2000"
}

# chain VARIANT: two gateways in a row, on interfaces for which the CAN core makes the echo. A
# gateway must not mistake frames of the other one for its own. b0 and b1 are OUT of both, so
# their marks would be equal if they did not differ for each gateway.
chain() {
	local far

	start far "${WITH_SYS[@]}" "$BIN/canugw" --variant "$1" --both c1 b0 && far=$pid &&
		until_says far "ready:" "$far" &&
		gateway --variant "$1" --both a1 b1 &&
		mix --both --count 300 a0 c0 &&
		gateway_ended 0 INT &&
		counts "c['received'] == c['forwarded'] == 600" &&
		ended "$far" INT && [ "$status" = 0 ]
}

# queue COMMAND RATE: limit b1 to RATE, with a queue of 4 CAN FD frames
queue() {
	tc qdisc "$1" dev b1 root tbf rate "$2" burst 288 limit 288
}

has_rejected() {
	prints "dropped [1-9]" tc -s qdisc show dev b1
}

# The interface is stopped until it has dropped a frame, and then continues.
waits_for_room() {
	local gw

	queue add 80bit && gateway --variant "$1" --count 600 a1 b1 && gw=$pid &&
		start mix "$HELPERS/canmix" --count 600 --window 100 a0 b0 &&
		until_true has_rejected && queue change 1gbit &&
		ended "$pid" && cat "$WORK/mix.err" && [ "$status" = 0 ] &&
		pid=$gw && gateway_ended 0 && counts "c['queue_full'] > 0"
}

# Send 7FF until one of these frames arrives; then the receive queue is not full.
send_mark() {
	kill -0 "$watcher" 2>/dev/null || return 0
	cansend a0 "7FF#" && marks=$((marks + 1))
	return 1
}

watches() {
	[ "$(grep -c ' b0 ' /proc/net/can/rcvlist_fil)" = "$1" ]
}

# A gateway that is stopped for a while counts all frames that it does not forward.
counts_lost() {
	local gw watcher marks=0

	gateway --variant "$1" --queue 64 a1 b1 && gw=$pid &&
		start last candump -n 1 b0,7FE:7FF &&
		start mark candump -n 1 b0,7FF:7FF && watcher=$pid && until_true watches 2 &&
		kill -STOP "$gw" && until_true is_stopped "$gw" &&
		cangen a0 -g 0 -n 1000 -I 123 -L 8 &&
		kill -CONT "$gw" && until_true send_mark &&
		cansend a0 "7FE#" && until_says last 7FE && pid=$gw && gateway_ended 1 INT &&
		counts "c['lost'] >= 700 and c['forwarded'] == c['received']" &&
		counts "c['received'] + c['lost'] == 1001 + $marks"
}

# ends_with_interface VARIANT INTERFACE: INTERFACE goes down
ends_with_interface() {
	gateway --variant "$1" a1 b1 && mix --count 20 a0 b0 && ip link set "$2" down || return 1
	[ "$2" = a1 ] || cansend a0 "123#" || return 1
	gateway_ended 3 && grep -q "$2: .*down" "$WORK/gw.err" &&
		json gw "not r['complete']" && counts "c['forwarded'] == 20"
}

signal_prints() {
	start gw "$BIN/canugw" a1 b1 && until_says gw "ready:" "$pid" &&
		mix --count 20 a0 b0 && gateway_ended 0 "$1" &&
		grep -q "a1 -> b1" "$WORK/gw.out" && grep -q "forwarded  *20$" "$WORK/gw.out"
}

# A gateway that does not end is detected after LIMIT.
ends_when_idle() {
	gateway --idle-timeout 1ms a1 b1 && gateway_ended 0 && json gw "r['complete']"
}

# The time is longer than the run of canmix, and restarts with each frame.
idles_after_last() {
	gateway --idle-timeout 10s a1 b1 && mix --count 20 a0 b0 && gateway_ended 0 &&
		json gw "r['complete'] and r['counts']['forwarded'] == 20"
}

no_fd_on_out() {
	local gw

	gateway a1 c1 && gw=$pid &&
		grep -q "c1 cannot send CAN FD frames" "$WORK/gw.err" &&
		start last candump -n 1 c0,456:7FF &&
		until_true grep -q ' c0 ' /proc/net/can/rcvlist_fil &&
		cansend a0 123##1AA && cansend a0 "123#" && cansend a0 345##1BB &&
		cansend a0 "456#" && until_says last 456 && pid=$gw && gateway_ended 1 INT &&
		counts "c['unsendable'] == 2 and c['forwarded'] == 2"
}

# False: the kernel does not support CAN XL
link_xl() {
	python3 - 2>/dev/null <<-'PY' && link_vxcan x0 x1 2060
		import socket
		s = socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW)
		s.setsockopt(socket.SOL_CAN_RAW, 7, 1)  # CAN_RAW_XL_FRAMES
	PY
}

# A CAN XL frame with the length of a CAN FD frame, and then a frame after which the gateway ends.
ignores_xl() {
	gateway --variant "$1" --count 1 x1 b1 &&
		python3 - <<-'PY' &&
			import socket, struct
			s = socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW)
			s.setsockopt(socket.SOL_CAN_RAW, 7, 1)  # CAN_RAW_XL_FRAMES
			s.bind(("x0",))
			s.send(struct.pack("=IBBHI60x", 0x123, 0x80, 0, 60, 0))
			s.send(struct.pack("=IB3x8x", 0x123, 8))
		PY
		gateway_ended 0 && counts "c['foreign'] == $2"
}

plain_user_forwards() {
	start gw "${UNPRIVILEGED[@]}" "$BIN/canugw" --json --both --count 40 a1 b1 &&
		until_says gw "ready:" "$pid" && mix --both --count 20 a0 b0 && gateway_ended 0
}

uring_disabled() (
	setting=/proc/sys/kernel/io_uring_disabled
	was=$(cat "$setting")

	trap 'echo "$was" >"$setting"' EXIT
	echo 2 >"$setting" && expect 3 "kernel.io_uring_disabled is 2" "$BIN/canugw" -V uring a1 b1
)

# The list above contains all variants.
lists_variants() {
	local listed

	listed=$("$BIN/canugw" --list | grep '^[a-z]' | sort) &&
		diff <(tr -s ' \t' '\n' <<<"$VARIANTS" | sort) - <<<"$listed"
}

result_keeps_to_schema() {
	gateway --both a1 b1 && mix --count 20 a0 b0 && gateway_ended 0 INT && keeps_to_schema gw
}

# c_mtu MTU: set the MTU of c0 and c1
c_mtu() {
	local name

	for name in c0 c1; do
		ip link set "$name" down
		ip link set "$name" mtu "$1" up
	done
}

# promise NAME COMMAND...: check, after cleaning up
promise() {
	restore
	check "$@"
}

# promise_variant NAME A B COMMAND...: promise, skipped if the kernel does not support the variant
promise_variant() {
	local name=$1 a=$2 b=$3

	shift 3
	if offered "$variant" "$a" "$b"; then
		promise "$name" "$@"
	else
		skip "$name" "$err"
	fi
}

# Load vcan with a driver that loops frames back like controllers. False: it is loaded without.
load_vcan() {
	local echo=/sys/module/vcan/parameters/echo

	[ "$(cat "$echo" 2>/dev/null)" != Y ] || return 0
	# Unloading the module removes all of its interfaces.
	own_machine && modprobe -q -r vcan && modprobe -q vcan echo=1 && [ "$(cat "$echo")" = Y ] &&
		vcan_is_ours=1
}

# Other tests use it without echo=1, and load it again.
unload_vcan() {
	restore
	ip link del v0
	ip link del v1
	[ -z "$vcan_is_ours" ] || modprobe -q -r vcan || true
}

link_vxcan a0 a1
link_vxcan b0 b1
link_vxcan c0 c1 16
defer_interrupts a1

for variant in $VARIANTS; do
	promise_variant "$variant forwards $FRAMES mixed frames" a1 b1 forwards "$variant"
done

if load_vcan; then
	link_vcan v0
	link_vcan v1
	defer_interrupts v0 v1
	for variant in $VARIANTS; do
		promise_variant "$variant --both forwards local frames of others, not its own" \
			v0 v1 forwards_both "$variant"
	done
	unload_vcan
else
	for variant in $VARIANTS; do
		skip "$variant --both forwards local frames of others, not its own" \
			"vcan has no echo=1, and must not be loaded again: $NOT_OWN"
	done
fi

c_mtu 72
promise "two read-write --both gateways work in a row" chain read-write
promise "two mmap-mmap --both gateways work in a row" chain mmap-mmap
c_mtu 16

for variant in $TX_VARIANTS; do
	if modprobe -q sch_tbf; then
		promise_variant "$variant waits while the interface queue is full" a1 b1 \
			waits_for_room "$variant"
	else
		skip "$variant waits while the interface queue is full" "no kernel module sch_tbf"
	fi
done

for variant in $RX_VARIANTS; do
	promise_variant "$variant counts lost frames" a1 b1 counts_lost "$variant"
done
for variant in $RX_VARIANTS; do
	promise_variant "$variant ends when its receiving interface goes down" a1 b1 \
		ends_with_interface "$variant" a1
done
for variant in $TX_VARIANTS; do
	promise_variant "$variant ends when its sending interface goes down" a1 b1 \
		ends_with_interface "$variant" b1
done

promise "SIGINT prints the counters" signal_prints INT
promise "SIGTERM prints the counters" signal_prints TERM
promise "--idle-timeout ends a gateway without traffic" ends_when_idle
promise "--idle-timeout ends a gateway after the last frame" idles_after_last
promise "CAN FD frames to a Classical CAN interface are counted" no_fd_on_out
if link_xl; then
	promise "read-write does not receive CAN XL frames" ignores_xl read-write 0
	promise "mmap-write ignores CAN XL frames" ignores_xl mmap-write 1
else
	skip "read-write does not receive CAN XL frames" "the kernel does not support CAN XL"
	skip "mmap-write ignores CAN XL frames" "the kernel does not support CAN XL"
fi
promise "read-write --both requires no privilege" plain_user_forwards
promise "mmap reports the missing privilege" \
	expect 3 CAP_NET_RAW "${UNPRIVILEGED[@]}" "$BIN/canugw" -V mmap-mmap a1 b1
if offered readbusynoirq-write a1 b1; then
	promise "readbusynoirq-write rejects an interface without interrupt deferral" \
		expect 3 "echo 100 > /sys/class/net/b1/napi_defer_hard_irqs" \
		"${WITH_SYS[@]}" "$BIN/canugw" -V readbusynoirq-write b1 a1
else
	skip "readbusynoirq-write rejects an interface without interrupt deferral" "$err"
fi
promise "readbusynoirq-write detects /sys of another network namespace" \
	expect 3 "/sys does not show" "$BIN/canugw" -V readbusynoirq-write a1 b1
if ! own_machine; then
	skip "uring reports that io_uring is disabled" "$NOT_OWN"
elif [ -e /proc/sys/kernel/io_uring_disabled ]; then
	promise "uring reports that io_uring is disabled" uring_disabled
else
	skip "uring reports that io_uring is disabled" "no sysctl kernel.io_uring_disabled"
fi
if python3 -c 'import jsonschema' 2>/dev/null; then
	promise "JSON matches the schema" result_keeps_to_schema
else
	skip "JSON matches the schema" "Python has no jsonschema"
fi
promise "--list describes all variants" lists_variants
promise "an unknown interface is rejected" expect 3 "interface none does not exist" "$BIN/canugw" a1 none
promise "IN and OUT must differ" expect 3 "same interface" "$BIN/canugw" a1 a1
promise "an unknown variant is rejected" expect 2 "--list" "$BIN/canugw" --variant none a1 b1
promise "a duration requires a unit" expect 2 "not a duration" "$BIN/canugw" --idle-timeout 5 a1 b1
finish
