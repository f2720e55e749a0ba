# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='What drivers lose, and how late frames are, while the CPU has other things to do: a
generator sends frames of 8 bytes at 1 Mbit/s on a simulated bus (cansim) to a controller on which its real driver
runs, and a real-time reader waits for them. Each controller gets bursts of 6, 16 and 64 frames back to back, and
a full bus; and each of these on an idle CPU, with a flood of pings of 60000 bytes between two network namespaces,
and with a program of normal priority that computes. Then the same frames go through a gateway rule to another
controller on a second bus. The simulator itself runs on the CPU that is measured and takes about 28 us of the 122
us that a frame lasts. Frames lost are counted, and latencies are from the last bit of a frame on the bus to the
reader, or to the first bit on the second bus, in instructions of 8 ns. What is lost is a matter of the moment at
which a burst comes, so repeats differ, and their range is shown. On PREEMPT_RT all of the readers get their frames
twice: as the kernel comes, and, "with priorities", with the interrupt threads at 90, the NAPI of drivers that have
one in a thread at 85, and the reader at 80 as always.'
BENCH_CAN=none
BENCH_ICOUNT=3 # 125 MIPS, the class of the papers' CPU: what the controller takes is time

# A burst and what the slowest controller does with it are over then. In the pauses of
# a gateway the second bus is looked at, and a few pings follow before the next burst.
PERIOD=19300us
GATEWAY_PERIOD=29300us

LOADS=(none ethernet cpu)

# reader CHIP LOAD SUFFIX [OPTION…]: more bursts where it matters when they come
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
	# Nothing is to be written to a serial console, with interrupts off.
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
