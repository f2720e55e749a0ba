# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='How late a frame reaches a real-time reader (priority 80) without any other setting, for --kernel rt: one
frame of eight bytes each millisecond, and a full bus of 1 Mbit/s, to each simulated controller (cansim), while the CPU is
idle, handles a flood of pings of 60000 bytes, or trains of 1000 datagrams from a simulated card whose driver uses the
backlog of the CPU, or NAPI, runs a program that computes, or hackbench. Latencies are from the last bit of a frame on the
bus to the reader. RT_FRAMES is the number of single frames, RT_PERIOD the time between them, RT_CHIPS, RT_LOADS and
RT_TRAFFIC limit the controllers, the loads (none ethernet backlog napi cpu hackbench) and the traffic (single full),
RT_KINDS the modules (baseline patched), RT_TIMEOUT is in seconds for one virtual machine, and RT_SHIFT=1 makes a CPU of
500 MIPS instead of 125. RT_WAIT (poll epoll) is what the reader waits in, instead of read. RT_RX is the priority of the
threads that give frames to sockets. RT_FAIR ns are reserved in each second for normal processes (50000000 by default).'
BENCH_CAN=none
BENCH_ICOUNT=${RT_SHIFT:-3}
BENCH_KINDS=${RT_KINDS:-baseline patched}
BENCH_TIMEOUT=${RT_TIMEOUT:-1800}
BENCH_PACKAGES=rt-tests

bench() {
	local chip load traffic
	local -a reader=(${RT_WAIT:+--wait "$RT_WAIT"} ${RT_RX:+--rx-priority "$RT_RX"})
	for_now /proc/sys/kernel/printk 1
	[[ ! ${RT_FAIR:-} ]] || reserve "$RT_FAIR"
	for chip in ${RT_CHIPS:-sja1000 mpc5200 mcp2515}; do
		for load in ${RT_LOADS:-none ethernet backlog napi cpu hackbench}; do
			for traffic in ${RT_TRAFFIC:-single full}; do
				case $traffic in
				single)
					losses "$chip, load $load, single" canbench-load "${reader[@]}" --count "${RT_FRAMES:-3000}" \
						--period "${RT_PERIOD:-1ms}" --load "$load" "$chip"
					;;
				full) losses "$chip, load $load, full bus" canbench-load "${reader[@]}" --count 8000 --load "$load" "$chip" ;;
				*)
					echo "RT_TRAFFIC: $traffic is unknown"
					return 1
					;;
				esac
			done
		done
	done
}
