# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Queueing disciplines: the cost of one write() on a vcan interface without a reader, on which no frame
has to wait: without a discipline, with the default of controllers, with can_prio, and with a lifetime.'

# The distribution has no can_prio.
BENCH_KINDS=patched

write_cost() {
	measure "$1" canbench-syscalls --method write --no-receiver --frames 100 --repeat 25 vcan0
}

bench() {
	vcans vcan0
	write_cost "no queue"
	tc qdisc replace dev vcan0 root pfifo_fast
	write_cost "pfifo_fast"
	tc qdisc replace dev vcan0 root can_prio
	write_cost "can_prio"
	canqueue --attach --lifetime 1s vcan0
	write_cost "can_prio with a lifetime"
}
