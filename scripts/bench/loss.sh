# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Lost frames by rate: frames of eight bytes come evenly spaced for two seconds, at 250 per second up to a
full bus at 1 Mbit/s, to a real-time reader on a CPU that is idle or floods itself with pings of 1400, 8000 and 60000
bytes, and how many pings are answered meanwhile. Nothing has a priority but the reader (80). LOSS_CHIPS limits the
controllers, LOSS_RATES the rates (0: a full bus), LOSS_PINGS the sizes (0: no flood), LOSS_OPTIONS are options of
canbench-load, such as --irq-priority 90, and LOSS_FAIR ns are reserved in each second for normal processes
(default 50000000, as the scheduler has it). The curves are in build/bench/loss.svg.'
BENCH_CAN=none
BENCH_ICOUNT=3 # 125 MIPS, as the benchmark load
BENCH_TIMEOUT=7200
BENCH_PACKAGES=python3-matplotlib
BENCH_SHOW=loss.py

SECONDS_OF_FRAMES=2
FULL_BUS=8191 # frames per second

# rate_case CHIP PINGS RATE
rate_case() {
	local chip=$1 pings=$2 rate=$3 load=(--load none) traffic
	((pings == 0)) || load=(--load ethernet --ping-size "$pings")
	if ((rate)); then
		traffic=(--count $((rate * SECONDS_OF_FRAMES)) --period $((1000000000 / rate))ns)
	else
		traffic=(--count $((FULL_BUS * SECONDS_OF_FRAMES)))
	fi
	# shellcheck disable=SC2086 # options
	losses "$chip, pings $pings, rate $rate" canbench-load "${traffic[@]}" "${load[@]}" ${LOSS_OPTIONS:-} "$chip"
}

bench() {
	local chip pings rate
	for_now /proc/sys/kernel/printk 1
	[[ ! ${LOSS_FAIR:-} ]] || reserve "$LOSS_FAIR"
	# udev still loads modules, whose signatures are checked without preemption
	sleep 10
	for chip in ${LOSS_CHIPS:-mcp2515 sja1000 mpc5200}; do
		for pings in ${LOSS_PINGS:-0 1400 8000 60000}; do
			for rate in ${LOSS_RATES:-250 500 1000 2000 3000 4000 5000 6000 7000 0}; do
				rate_case "$chip" "$pings" "$rate"
			done
		done
	done
}
