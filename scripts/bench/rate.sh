# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='The highest rate of single frames at 1 Mbit/s at which none of 4000 is lost, for each controller on a
simulated bus (cansim), with frames of eight bytes and without data, while the CPU is idle, handles a flood of pings of
60000 bytes, or computes. It is searched by bisection to half a percent. A full bus has some 8200 frames of eight bytes
per second, or some 20000 without data. Frames that wait in a queue are not lost. On PREEMPT_RT the interrupt threads
have priority 90, NAPI is a thread at 85 where the driver has one, and the reader has 80. The simulator takes about 28
us of the CPU for each frame.'
BENCH_CAN=none
BENCH_ICOUNT=3 # 125 MIPS, as the benchmark load

bench() {
	local chip load bytes options=()
	[[ $(uname -v) != *PREEMPT_RT* ]] || options=(--threaded 85 --irq-priority 90)
	for_now /proc/sys/kernel/printk 1
	for chip in sja1000 mpc5200 mcp2515; do
		for bytes in 8 0; do
			for load in none ethernet cpu; do
				losses "$chip, $bytes bytes, load $load" canbench-load --rate-search --count 4000 \
					--dlc $bytes --load "$load" "${options[@]}" "$chip"
			done
		done
	done
}
