#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Controllers of the sja1000 family that deliver through a NAPI instance of their
# own, on the controllers of can_link.sh: threaded NAPI, busy polling for all sockets
# by sysctl, and devices that go down or are removed meanwhile.
#
# QEMU delivers a frame while its sender writes to the controller, so none is lost
# there, however late the receiver is.

# shellcheck source=can_link.sh
. "$(dirname "$0")/can_link.sh"

CASES=(
	"threads: a thread delivers, also if it begins and ends under traffic"
	"polling: busy-polling tasks get every frame"
	"down: goes down and up under traffic while a task polls"
	"unbind: is unbound from its driver under traffic while a task polls"
)

FRAMES=20
TRAFFIC_PID=""
POLL_BEFORE=""

# traffic() - $A sends FRAMES frames, numbered by their data
traffic()
{
	exec {TRAFFIC_FD}< <(exec cangen "$A" -g 5 -I 123 -L 1 -D i -n $FRAMES 2>&1)
	TRAFFIC_PID=$!
}

# works() - when all frames are sent, both controllers still send and receive
works()
{
	local line

	# the pipe ends
	while read -r -t "$WAIT_TIMEOUT" -u "$TRAFFIC_FD" line; do
		can_log "$line"
	done
	kill "$CAN_DUMP_PID"
	can_dump
	passes "$A" "$B" 456#11
	passes "$B" "$A" 456#22
}

# arrived() - all frames of traffic() reach the other controller in their order
arrived()
{
	local number=0 want

	while [ $number -lt $FRAMES ]; do
		printf -v want '%s 123#%02X' "$B" $number
		can_next "$want"
		[[ $CAN_SEEN != "$A "* ]] || continue
		can_equal "next frame" "$want" "$CAN_SEEN"
		number=$((number + 1))
	done
}

# outside() - run a command in the namespace that the devices come from
outside()
{
	nsenter --net="/proc/$PPID/ns/net" "$@"
}

# poll_for() - new sockets of all programs busy-poll for this number of microseconds
poll_for()
{
	can_own_machine || can_skip "$CAN_NOT_OWN"
	POLL_BEFORE=$(outside sysctl -e net.core.busy_read net.core.busy_poll)
	can_do outside sysctl -q "net.core.busy_read=$1" "net.core.busy_poll=$1"
}

# set_threaded() - write to the attribute of a device
set_threaded()
{
	unshare --mount "$BASH" -c "mount -t sysfs none /sys &&
		echo $2 > /sys/class/net/$1/threaded"
}

# threaded() - switch threaded NAPI of a device on or off
threaded()
{
	can_do set_threaded "$1" "$2"
}

case_cleanup()
{
	[ -z "$TRAFFIC_PID" ] || kill "$TRAFFIC_PID" 2> /dev/null
	[ -z "$POLL_BEFORE" ] || outside sysctl -q -p - <<< "$POLL_BEFORE"
	move_out
}

test_threads()
{
	local on

	can_baseline && can_skip "needs the patched modules"
	running
	[[ $(set_threaded "$B" 0 2>&1) != *"not supported"* ]] || can_skip "$B has no NAPI instance"
	traffic
	for on in 1 0 1; do
		threaded "$B" $on
	done
	arrived
	threaded "$B" 0
	works
}

test_polling()
{
	poll_for 1000
	running
	traffic
	arrived
}

test_down()
{
	local i

	poll_for 1000
	running
	traffic
	for i in 1 2 3; do
		down "$B"
		up "$B"
	done
	works
}

# The card is bound again afterwards.
test_unbind()
{
	local card

	poll_for 1000
	running
	[[ $(ip -d link show "$B") =~ parentbus\ pci\ parentdev\ ([^ ]+) ]] ||
		can_skip "$B is not known to be on a PCI card"
	card=${BASH_REMATCH[1]}
	traffic
	can_next "frames"
	echo "$card" > "$DRIVER/unbind"
	can_rejected 1 "" ip link show "$B"
	outside "$BASH" -c "$(declare -f card_new); DRIVER=$DRIVER
		echo $card > $DRIVER/bind; card_new $card $B"
	can_do outside ip link set "$B" netns $$
	can "$B" bitrate 500000
	up "$B"
	works
}

can_main "$@"
