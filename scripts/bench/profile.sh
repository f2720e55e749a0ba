# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Where the instructions of a frame go, from the interrupt to the return of read() in a real-time reader:
frames of eight bytes come one by one to each simulated controller (cansim), 2000 per second, and a plugin of QEMU
counts the instructions of each function of the kernel. The figures are the difference of a long and a short run, in
instructions per frame, without priorities but that of the reader. "clock, waiting for SPI" is mostly the time of
SPI transfers, in which the driver busy-waits, as that of a Raspberry Pi does. User space is the reader and the
bookkeeping of canbench-load. The first run of each kind is shown.'
BENCH_CAN=none
BENCH_ICOUNT=3 # 125 MIPS, as the benchmark load
BENCH_PLUGIN=profile
BENCH_SHOW=profile.py

FEW=500
MANY=4500
PERIOD=500us

# counted CHIP COUNT: a part of the counts
counted() {
	python3 "$(dirname "$FILE")/mark.py"
	losses "$1, $2 frames" canbench-load --count "$2" --period $PERIOD "$1"
	python3 "$(dirname "$FILE")/mark.py"
}

bench() {
	local chip
	for_now /proc/sys/kernel/printk 1
	# udev still loads modules
	sleep 10
	for chip in sja1000 mpc5200 mcp2515; do
		losses "$chip, before" canbench-load --count $FEW --period $PERIOD "$chip"
		counted "$chip" $FEW
		counted "$chip" $MANY
	done
	cp /proc/kallsyms "$OUT/kallsyms"
}
