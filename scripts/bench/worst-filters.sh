# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Receive filters that are chosen to be expensive, in CAN_RAW sockets with full receive queues: the cost of
one write() on a vcan interface. All of them match the frame, or none. Each has a mask of its own, or three have the
same, or all of them. Then numbers of masks, and of filters per mask, at which an index by mask begins to pay off.'

# No set of filters may make a frame much more expensive than in 6.12.
BENCH_MOST=1.25

# worst CASE SOCKETS COUNT OPTION…
worst() {
	local case=$1 sockets=$2 count=$3
	shift 3
	measure "$case" canbench-filters --sockets "$sockets" --count "$count" "$@" vcan0
}

# by_masks TEXT SOCKETS COUNT OPTION…: frame 00000000 matches all filters, 1FFFFFFF none
by_masks() {
	local text=$1 sockets=$2 count=$3
	shift 3
	worst "$text, all match" "$sockets" "$count" --first 00000000 --same --write 00000000 "$@"
	worst "$text, none matches" "$sockets" "$count" --first 00000000 --same --write 1FFFFFFF "$@"
}

bench() {
	local total sockets count
	vcans vcan0
	for total in 510:1:510 3000:6:500 60000:120:500; do
		IFS=: read -r total sockets count <<<"$total"
		by_masks "$total filters, one per mask" "$sockets" "$count" --mask 80000001 --per-mask 1
		by_masks "$total filters, three per mask" "$sockets" "$count" --mask 80000001 --per-mask 3
		by_masks "$total filters, one mask" "$sockets" "$count" --mask 80000001
	done
	for total in 8 9 16 40; do
		by_masks "3000 filters, $total masks" 6 500 --mask 80000001 --per-mask $((3000 / total + 1))
	done
	for total in 3 4 5 6 8 12 20; do
		by_masks "3000 filters, $total per mask" 6 500 --mask 80000001 --per-mask $total
	done
	by_masks "40 filters, 4 masks" 1 40 --mask 80000001 --per-mask 10
	by_masks "120 filters, 4 masks" 1 120 --mask 80000001 --per-mask 30
	by_masks "480 filters, 24 masks" 1 480 --mask 80000001 --per-mask 20
}
