# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='An MCP2515 as in "Design of High-Performance CAN Driver Architecture for Embedded Linux", on a CPU of 250
MIPS, which is about that of the ARM926EJ-S of 180 MHz there: an SPI clock of 10 MHz, no time between transfers, and an
interrupt line that the driver can read; and as on a Raspberry Pi (the defaults of cansim). Frames without data fill a
bus of 1 Mbit/s, or come every millisecond while the CPU is idle or runs a program that computes. The timestamp of a
frame shows when the driver saw the frame. "with priorities" on PREEMPT_RT: interrupt threads at 90.'
BENCH_CAN=none
BENCH_ICOUNT=2
BENCH_SHOW=wccd.py

# board NAME CONTROLLER SUFFIX [OPTION…]
board() {
	local name=$1 chip=$2 suffix=$3 load
	shift 3
	losses "$name$suffix, full bus" canbench-load --dlc 0 --count 40000 "$@" "$chip"
	for load in none cpu; do
		losses "$name$suffix, load $load" canbench-load --dlc 0 --stamp --count 2000 --period 1ms \
			--load $load "$@" "$chip"
	done
}

boards() {
	board "as in the paper" mcp2515:irq_unreadable=0:spi_overhead_ns=0 "$@"
	board "Raspberry Pi" mcp2515 "$@"
}

bench() {
	for_now /proc/sys/kernel/printk 1
	# udev still loads modules, whose signatures are checked without preemption
	sleep 10
	boards ""
	[[ $(uname -v) != *PREEMPT_RT* ]] || boards ", with priorities" --irq-priority 90
}
