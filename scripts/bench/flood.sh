# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Lost frames and latencies while another host sends more Ethernet frames than the CPU can handle: trains
of 1000 datagrams that fill 100 Mbit/s, to a simulated card (cansim) whose driver uses the backlog of the CPU, or NAPI.
CAN frames of eight bytes come at 1 Mbit/s in bursts of 16 to a reader of priority 80. Latencies are from the last bit
of a frame on the bus to the reader, in instructions of 8 ns. On PREEMPT_RT the interrupt threads have priority 90,
and NAPI is a thread at 85 where the driver has one.'
BENCH_CAN=none
BENCH_ICOUNT=3 # 125 MIPS, as the benchmark load

bench() {
	local chip load options=()
	[[ $(uname -v) != *PREEMPT_RT* ]] || options=(--threaded 85 --irq-priority 90)
	for_now /proc/sys/kernel/printk 1
	for chip in sja1000 mpc5200 mcp2515; do
		for load in backlog napi; do
			losses "$chip, load $load" canbench-load --burst 16 --count 2400 --period 19300us \
				--load "$load" "${options[@]}" "$chip"
		done
	done
}
