# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Lost frames and latencies under load: a generator sends frames of 8 bytes at 1 Mbit/s on a simulated bus
(cansim) to a controller with its real driver, and a real-time reader waits for them. Frames come in bursts of 6, 16
and 64, or fill the bus, while the CPU is idle, handles a flood of pings of 60000 bytes between two network namespaces,
or runs a program of normal priority that computes. Then bursts go through a gateway rule to another controller on a
second bus. The simulator runs on the measured CPU, and takes about 28 us of the 122 us that a frame lasts. Latencies
are from the last bit of a frame on the bus to the reader, or to the first bit on the second bus, in instructions of 8
ns. Losses depend on when a burst comes, so repeats differ, and their range is shown. On PREEMPT_RT, readers are
measured twice: with default priorities, and "with priorities", with interrupt threads at 90, NAPI in a thread at 85
where the driver has one, and the reader at 80 as always.'
BENCH_CAN=none
BENCH_ICOUNT=3 # 125 MIPS, as slow as the CPUs in the literature

# The slowest controller has handled a burst before the next one. With a gateway, there is also
# time to read the second bus, and for a few pings.
PERIOD=19300us
GATEWAY_PERIOD=29300us

LOADS=(none ethernet cpu)

# reader CHIP LOAD SUFFIX [OPTION…]: more bursts if results depend on when they come
reader() {
	local chip=$1 load=$2 name="$1, load $2" suffix=$3 n=100 frames
	shift 3
	[[ $load != ethernet ]] || n=300
	for frames in 6 16 64; do
		((frames < 64)) || n=$((n / 3))
		losses "$name, bursts of $frames$suffix" canbench-load --burst $frames --count $((frames * n)) \
			--period $PERIOD --load "$load" "$@" "$chip"
	done
	losses "$name, full bus$suffix" canbench-load --count 8000 --load "$load" "$@" "$chip"
}

# gateway FROM TO LOAD
gateway() {
	local from=$1 to=$2 load=$3 name="$1 to $2, load $3" n=60 frames
	[[ $load != ethernet ]] || n=150
	for frames in 6 16; do
		losses "$name, bursts of $frames" canbench-load --burst $frames --count $((frames * n)) \
			--period $GATEWAY_PERIOD --load "$load" --gateway "$to" "$from"
	done
}

bench() {
	local chip load
	# no messages on a serial console, which are written with interrupts off
	for_now /proc/sys/kernel/printk 1
	for chip in sja1000 mpc5200 mcp2515; do
		for load in "${LOADS[@]}"; do
			reader "$chip" "$load" ""
			[[ $(uname -v) != *PREEMPT_RT* ]] ||
				reader "$chip" "$load" ", with priorities" --threaded 85 --irq-priority 90
		done
	done
	for load in "${LOADS[@]}"; do
		gateway sja1000 mpc5200 "$load"
		gateway mpc5200 mcp2515 "$load"
		gateway mcp2515 sja1000 "$load"
	done
}
