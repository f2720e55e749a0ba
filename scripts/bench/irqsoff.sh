# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Who keeps interrupts off, and for how long: on a kernel of our own (for --kernel rt with PREEMPT_RT) in
which each begin and end of a section with interrupts off is an event (scripts/trace.config), while a full bus of
frames of eight bytes goes to each simulated controller (cansim), and the CPU is idle, handles a flood of pings of
60000 bytes or trains of datagrams from a simulated card, or computes; then while a frame each millisecond is routed
from one controller to another one, by an ordinary rule and by an express rule. For each holder, the longest section, and how
much of it was the simulator. Within an interrupt, the holder is the handler that took most of the time, if handlers
took half of it. The registers that a handler accesses are the simulator, too, which is not told apart. The times
include the cost of the events.'
BENCH_CAN=none
BENCH_ICOUNT=3 # 125 MIPS, as the benchmark load
BENCH_OWN=trace
BENCH_KINDS=patched
BENCH_PACKAGES=trace-cmd
BENCH_SHOW=irqsoff.py

EVENTS=(-e preemptirq:irq_disable -e preemptirq:irq_enable
	-e irq:irq_handler_entry -e irq:irq_handler_exit
	-e timer:hrtimer_expire_entry -e timer:hrtimer_expire_exit)
BUFFER_KB=300000

# traced NAME ARGUMENT…: the events of a run of canbench-load, in a file beside its result
traced() {
	trace-cmd start -b $BUFFER_KB "${EVENTS[@]}" >/dev/null
	losses "$1" canbench-load --count 2000 "${@:2}"
	trace-cmd stop
	# shellcheck disable=SC2154 # scripts/guest/bench counts the results
	trace-cmd extract -o "$OUT/$(printf '%03d' "$number").dat" >/dev/null
	trace-cmd reset
}

bench() {
	local chip load way
	for_now /proc/sys/kernel/printk 1
	for chip in sja1000 mpc5200 mcp2515; do
		for load in none ethernet napi cpu; do
			traced "$chip, load $load" --load "$load" "$chip"
		done
	done
	for way in sja1000-sja1000 sja1000-mpc5200 mpc5200-sja1000 mcp2515-sja1000; do
		for load in none ethernet backlog; do
			traced "$way, ordinary, load $load" --period 1ms --load "$load" --gateway "${way#*-}" "${way%-*}"
			traced "$way, express, load $load" --period 1ms --load "$load" --express --gateway "${way#*-}" "${way%-*}"
		done
	done
}
