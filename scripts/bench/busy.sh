# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Busy polling: a frame of eight bytes comes every millisecond at 1 Mbit/s on a simulated bus (cansim) to a
real-time reader that waits in read(), polls in read(), or polls with receive interrupts masked (napi_defer_hard_irqs,
gro_flush_timeout of 200 us). Latencies are from the last bit on the bus to the reader. Interrupts of the controller
are counted, and those of the timer that unmasks receive interrupts if there is no poll (unmask timer). Interrupt
threads have a higher priority than the reader, and on PREEMPT_RT in one more case the thread that gives frames to
sockets. The CPU time that the scheduler reserves for normal processes is set to 0, because a reader that polls all of
the time would lose it to them.'
BENCH_CAN=none
BENCH_ICOUNT=3 # 125 MIPS, as the benchmark load

TRACING=/sys/kernel/tracing

# Only our modules have the timer of the ring.
has_timer() {
	[[ $(modinfo -n can-dev) == */updates/* ]]
}

probe_timer() {
	has_timer || return 0
	modprobe can-dev
	mountpoint -q $TRACING || mount -t tracefs tracefs $TRACING
	echo 'p:can/unmask can_rx_ring_unmask_expired' >$TRACING/kprobe_events
	echo 1 >$TRACING/events/can/unmask/enable
}

timer_hits() {
	has_timer || { echo 0; return; }
	awk '$1 == "unmask" { print $2 }' $TRACING/kprobe_profile
}

reader() {
	local before
	before=$(timer_hits)
	measure "$@" --irq-priority 90 --period 1ms --count 2000
	figure "$1, unmask timer" $(($(timer_hits) - before)) "for 2000 frames"
}

real_time() {
	[[ $(uname -v) == *PREEMPT_RT* ]]
}

bench() {
	local chip
	for_now /proc/sys/kernel/printk 1
	# older kernels have no such reserve
	reserve 0 || :
	probe_timer
	for chip in sja1000 mpc5200 mcp2515; do
		reader "$chip, read" canbench-load "$chip"
		! real_time || reader "$chip, read, thread first" canbench-load --rx-priority 90 "$chip"
		reader "$chip, polling" canbench-load --busy-poll 3ms "$chip"
		reader "$chip, polling, masked" canbench-load --busy-poll 3ms --defer 200us "$chip"
	done
}
