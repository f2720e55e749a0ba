# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='How long an urgent frame takes to the bus while less urgent ones of the same node wait, on simulated buses
(cansim) at 1 Mbit/s that another node fills with frames of eight bytes and an identifier between the two. The time is
that from write() to the first bit of the urgent frame on the bus. One frame waits in the controller, or others behind
it. Our drivers have the flag bus-order and the queueing discipline can_prio; "first come" is without both. A frame that
is not sent within a second ends the case; its time counts as a second. The priority of the writer is TRANSMIT_PRIORITY,
60 if not set. "flood" is with a ping -f -s 60000 on the loopback interface. "Share of the bus" is that of the time in
which frames of one sender are on the bus, or the three bits after them, while nobody else sends and no other controller
interrupts the CPU; "slow registers" take 1 us for each access, otherwise as long as their simulation.'
BENCH_CAN=none
BENCH_ICOUNT=1 # 500 MIPS
BENCH_PACKAGES="ethtool iproute2 iputils-ping can-utils"

BUS=/sys/kernel/config/cansim/bus0
COUNT=${TRANSMIT_COUNT:-1000}

# The distribution's drivers have one order.
order_of_the_bus() {
	[[ $(modinfo -n can-dev) == */updates/* ]] || return 0
	ethtool --set-priv-flags can0 bus-order on
	tc qdisc replace dev can0 root can_prio
}

# waiting COUNT: write frames that lose against those of the other node
waiting() {
	python3 - "$1" <<-'END'
		import socket, struct, sys
		s = socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW)
		s.setsockopt(socket.SOL_CAN_RAW, socket.CAN_RAW_FILTER, b"")
		s.setsockopt(socket.SOL_SOCKET, 32, 1 << 28)  # SO_SNDBUFFORCE
		s.bind(("can0",))
		for i in range(int(sys.argv[1])):
		    s.send(struct.pack("=IB3xQ", 0x700 + i % 16, 8, i))
	END
}

# urgent CASE: send urgent frames, one at a time, and add their worst time
urgent() {
	local status=0
	canbench-send --json --count "$COUNT" --priority "${TRANSMIT_PRIORITY:-60}" --timeout 1s \
		--id 080 can0 bus0 >"$OUT/send" || status=$?
	((status <= 1)) || return $status
	python3 - "$1" "$OUT/send" >>"$OUT/figures" <<-'END'
		import json, sys
		result = json.load(open(sys.argv[2]))
		lost, sent = result["counts"]["lost"], result["counts"]["sent"]
		worst = max((series.get("max_ns", 0) for series in result["series"]), default=0)
		print(f"{sys.argv[1]}, not sent", lost, f"for {sent} frames", sep="\t")
		print(f"{sys.argv[1]}, worst", (1e9 if lost else worst) / 1000, "us", sep="\t")
	END
}

# share CHIP CASE [COMMAND]: that of the bus which one sender of frames of eight bytes fills, after COMMAND
share() {
	local sender before after
	"$SETUP" "bus0=$1,generator.other"
	ip link set can0 txqueuelen 20000 up type can bitrate 1000000
	${3:-:}
	cangen can0 -g 0 -I 700 -L 8 -D 1122334455667788 &
	sender=$!
	sleep 0.2
	mapfile -t before < <(cat $BUS/{time_ns,busy_ns})
	sleep 1
	mapfile -t after < <(cat $BUS/{time_ns,busy_ns})
	kill $sender
	wait
	"$SETUP" --remove --all
	figure "$2, share of the bus" "$(awk -v time=$((after[0] - before[0])) -v busy=$((after[1] - before[1])) \
		'BEGIN { printf "%.1f", 100 * busy / time }')" "%"
}

# two_nodes KIND: can0 of this kind, and another node that does not send yet
two_nodes() {
	"$SETUP" "bus0=$1.can0,generator.other:id=100:dlc=8:count=0"
	ip link set can0 txqueuelen 20000 up type can bitrate 1000000
}

other_node() {
	echo 1 >$BUS/generator.other/run
}

# flooded CASE: the same beside a flood of large pings
flooded() {
	ping -q -f -s 60000 127.0.0.1 >/dev/null &
	urgent "$1"
	kill -INT %%
	wait
}

# The frames that wait are not sent at all, so they become more.
bench() {
	local chip count more
	SETUP=$(dirname "$FILE")/../../tools/can/cansim-setup/cansim-setup
	for_now /proc/sys/kernel/printk 1
	for chip in ${TRANSMIT_CHIPS:-sja1000 mpc5200 mcp2515}; do
		share "$chip.can0" "$chip, first come"
		share "$chip.can0" "$chip, in bus order" order_of_the_bus
		[[ $chip == mcp* ]] ||
			share "$chip.can0:access_ns=1000" "$chip, slow registers" order_of_the_bus
		two_nodes "$chip"
		other_node
		urgent "$chip, nothing waits"
		waiting 1
		urgent "$chip, 1 waits, first come"
		"$SETUP" --remove --all
		two_nodes "$chip"
		order_of_the_bus
		other_node
		count=0
		for more in ${TRANSMIT_WAITING:-1 99 9900}; do
			waiting "$more"
			count=$((count + more))
			urgent "$chip, $count wait"
			flooded "$chip, $count wait, flood"
		done
		"$SETUP" --remove --all
	done
}
