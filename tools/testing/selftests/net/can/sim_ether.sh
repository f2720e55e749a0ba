#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The simulated Ethernet card delivers the datagrams that its settings say, and
# rejects impossible settings. These are parameters of the module, for all cards of the
# machine, so this needs a machine of the tests' own (CAN_TEST_MACHINE=1).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

CASES=(
	"rejected: does not come up without an address or with a value out of range"
	"backlog: every datagram is received by way of the backlog"
	"napi: every datagram is received by NAPI"
	"sent: frames leave descriptors when they have been sent"
	"unsent: the interface is removed while frames wait"
	"overflow: datagrams that arrive while the ring is full are counted"
	"removed: the interface and its module are removed during trains"
)

CARD=simether0
PARAMETERS=/sys/module/cansim_ether/parameters

# few enough for any machine to keep up with
RATE=1000
TRAIN=50

declare -A DEFAULTS

can_prepare()
{
	can_need ip
	can_need tc
	can_need dd
	can_own_machine || can_skip_all "$CAN_NOT_OWN"
	can_modules cansim-ether || can_skip_all "no cansim-ether"
}

set_parameters()
{
	local setting name

	for setting; do
		name=${setting%%=*}
		[ -n "${DEFAULTS[$name]:-}" ] || DEFAULTS[$name]=$(< "$PARAMETERS/$name")
		echo "${setting#*=}" > "$PARAMETERS/$name"
	done
}

case_cleanup()
{
	local name

	for name in "${!DEFAULTS[@]}"; do
		echo "${DEFAULTS[$name]}" > "$PARAMETERS/$name"
	done
}

card()
{
	can_do ip link add $CARD type simether
	can_do ip address add 10.9.8.1/24 dev $CARD
}

# received() - a counter of the interface
# @column: of /proc/net/dev: 1 bytes, 2 frames, 4 lost ones
received()
{
	awk -v name="$CARD:" -v column="$1" '$1 == name { print $(column + 1) }' /proc/net/dev
}

# no_ports() - datagrams for which there was no socket, as for all of these
no_ports()
{
	awk '$1 == "Udp:" && n++ { print $3 }' /proc/net/snmp
}

# reaches() - wait until a number is at least @want
# @want: that number
# @...: command that prints it
reaches()
{
	local want=$1 deadline=$((SECONDS + WAIT_TIMEOUT))

	shift
	until [ "$("$@")" -ge "$want" ]; do
		[ $SECONDS -le $deadline ] || can_fail "'$*' does not reach $want"
		sleep 0.05
	done
}

test_rejected()
{
	can_do ip link add $CARD type simether
	can_rejected 2 "Cannot assign requested address" ip link set $CARD up
	can_do ip address add 10.9.8.1/24 dev $CARD
	set_parameters rate=0
	can_rejected 2 "out of range" ip link set $CARD up
	set_parameters rate=1000 bytes=1473
	can_rejected 2 "out of range" ip link set $CARD up
	set_parameters bytes=1472 train=0
	can_rejected 2 "out of range" ip link set $CARD up
	set_parameters train=$TRAIN tx_mbit=10001
	can_rejected 2 "out of range" ip link set $CARD up
	can_equal "frames" 0 "$(received 2)"
	set_parameters tx_mbit=0
	can_do ip link set $CARD up
	reaches 1 received 2
	can_do ip link set $CARD down
	can_equal "bytes" $((1472 + 42)) $(($(received 1) / $(received 2)))
}

# all_received() - one train, by NAPI (1) or not (0); there is no other for a long time
all_received()
{
	set_parameters rate=$RATE train=150 pause_ms=1000000 bytes=18 napi="$1"
	card
	can_do ip link set $CARD up
	reaches 150 no_ports
	can_do ip link set $CARD down
	can_equal "frames, lost ones" "150 0" "$(received 2) $(received 4)"
	can_equal "datagrams" 150 "$(no_ports)"
}

test_backlog()
{
	all_received 0
}

test_napi()
{
	all_received 1
}

# sent() - frames that have left the wire
sent()
{
	received 10
}

# slow_card() - a card that sends 82 frames per second, and has a queue that drops none
# @napi: 0 or 1
slow_card()
{
	set_parameters rate=1 train=1 pause_ms=1000000 napi="$1" tx_mbit=1
	card
	can_do tc qdisc add dev $CARD root pfifo limit 1000
	can_do ip link set $CARD up
}

# sends() - send datagrams of 41 frames
# @count: of them
sends()
{
	dd if=/dev/zero bs=60000 count="$1" status=none > /dev/udp/10.9.8.9/9
}

# More frames than descriptors, of 1538 bytes on the wire but for two of them, and those of IPv6
test_sent()
{
	local begin end napi

	for napi in 0 1; do
		slow_card $napi
		begin=${EPOCHREALTIME/[^0-9]/}
		sends 2 || can_fail "datagrams were not sent"
		reaches 82 sent
		end=${EPOCHREALTIME/[^0-9]/}
		[ $((end - begin)) -ge 900000 ] ||
			can_fail "82 frames left the wire in $((end - begin)) us"
		can_equal "dropped frames" 0 "$(received 12)"
		can_do ip link del $CARD
	done
}

# The sender waits for room all the time
test_unsent()
{
	local napi sender

	for napi in 0 1; do
		slow_card $napi
		sends 100000 2> /dev/null &
		sender=$!
		reaches 1 sent
		can_do ip link set $CARD down
		wait $sender && can_fail "all datagrams were sent"
		[ "$(received 12)" -gt 0 ] || can_fail "no frame has waited"
		can_do ip link set $CARD up
		sends 2 || can_fail "datagrams were not sent after the interface was down"
		can_do ip link del $CARD
	done
}

# total() - frames that have come
total()
{
	echo $(($(received 2) + $(received 4)))
}

test_overflow()
{
	set_parameters rate=1000000 train=5000 pause_ms=1000 bytes=18 napi=0
	card
	can_do ip link set $CARD up
	reaches 1 received 4
	# of the second train
	reaches 5001 total
}

test_removed()
{
	local i

	set_parameters rate=$RATE train=$TRAIN pause_ms=1
	for i in 0 1 0 1; do
		set_parameters napi=$i
		card
		can_do ip link set $CARD up
		reaches 1 no_ports
		can_do ip link del $CARD
	done
	card
	can_do ip link set $CARD up
	case_cleanup
	DEFAULTS=()
	modprobe -r cansim-ether || can_skip "modules cannot be removed"
	can_rejected 1 "does not exist" ip link show $CARD
	can_do modprobe cansim-ether
}

can_main "$@"
