# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='How late a frame reaches a real-time reader (priority 80) without any other setting, for --kernel rt: one
frame of eight bytes each millisecond, and a full bus of 1 Mbit/s, to each simulated controller (cansim), while the CPU is
idle, handles a flood of pings of 60000 bytes, or trains of 1000 datagrams from a simulated card whose driver uses the
backlog of the CPU, or NAPI, or runs a program that computes. Latencies are from the last bit of a frame on the bus to
the reader. RT_FRAMES is the number of single frames, RT_CHIPS and RT_LOADS limit the controllers and the loads (none ethernet
backlog napi cpu), and RT_SHIFT=1 makes a CPU of 500 MIPS instead of 125.'
BENCH_CAN=none
BENCH_ICOUNT=${RT_SHIFT:-3}

bench() {
	local chip load
	for_now /proc/sys/kernel/printk 1
	for chip in ${RT_CHIPS:-sja1000 mpc5200 mcp2515}; do
		for load in ${RT_LOADS:-none ethernet backlog napi cpu}; do
			losses "$chip, load $load, single" canbench-load --count "${RT_FRAMES:-3000}" --period 1ms \
				--load "$load" "$chip"
			losses "$chip, load $load, full bus" canbench-load --count 8000 --load "$load" "$chip"
		done
	done
}
