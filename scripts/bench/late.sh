# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='What the CPU did before interrupts of its timer that came late, while frames are routed by an express
rule from one simulated controller (cansim) to another one, one each 400 us, and the CPU handles a flood of pings of
60000 bytes. A plugin of QEMU keeps the blocks of instructions that are executed between two interrupts of the timer,
of which the simulation needs one at least each 300 us, and writes them down if they are more than LATE_MIN
instructions (100000 by default, 0.8 ms at 125 MIPS). Shown are the ten longest, by function, which is not kept after
the first 200. LATE_COUNT is the number of frames (100000 by default), LATE_WAY the pair of controllers, LATE_LOAD the
load, LATE_ROUTE --bare for a module that only copies registers, LATE_PAGELIST the value of
vm.percpu_pagelist_high_fraction, LATE_RATE that of datagrams per second in a train, and LATE_TIMEOUT the seconds for one
virtual machine.
The first and the last frames are left out, 25000 in all.'
BENCH_CAN=none
BENCH_ICOUNT=3
BENCH_KINDS=patched
BENCH_PLUGIN=late
BENCH_SHOW=late.py
BENCH_TIMEOUT=${LATE_TIMEOUT:-7200}

# generated: number of frames on the first bus
generated() {
	cat /sys/kernel/config/cansim/canbench-load-*/generator.*/sent 2>/dev/null | sort -n | tail -n 1 | grep . || echo 0
}

bench() {
	local way=${LATE_WAY:-sja1000-mpc5200} load=${LATE_LOAD:-ethernet} count=${LATE_COUNT:-100000} mark run
	mark=$(dirname "$FILE")/mark.py
	if ((count < 40000)); then
		echo "LATE_COUNT: $count is less than 40000"
		return 1
	fi
	for_now /proc/sys/kernel/printk 1
	[[ ! ${LATE_PAGELIST:-} ]] || for_now /proc/sys/vm/percpu_pagelist_high_fraction "$LATE_PAGELIST"
	# udev still loads modules
	sleep 10
	awk -v limit="${LATE_MIN:-100000}" '$3 == "hrtimer_interrupt" { print $1, limit }' /proc/kallsyms >"$OUT/counts.watch"
	losses "$way, load $load" canbench-load --count "$count" --period 400us --load "$load" "${LATE_ROUTE:---express}" \
		${LATE_RATE:+--datagrams "$LATE_RATE"} --gateway "${way#*-}" "${way%-*}" &
	run=$!
	until (($(generated) > 2500)); do
		kill -0 $run
		sleep 0.5
	done
	python3 "$mark"
	# nothing else runs meanwhile; there are 2500 frames per second, and to start python takes seconds
	sleep $(((count - 25000) / 2500))
	python3 "$mark"
	if (($(generated) >= count)) || ! kill -0 $run; then
		echo "the frames ended too early"
		return 1
	fi
	wait $run
	cp /proc/kallsyms "$OUT/kallsyms"
}
