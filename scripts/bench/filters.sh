# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Receive filters: the cost of one write() on a vcan interface with many gateway rules, one of which
matches the frame. The rules have filters for one standard identifier (found by array), for one extended identifier
(found by hash table), or with one or several masks.'

# The number of identifiers in a bucket depends on the seed of the hash function.
BENCH_CHANCE="16384 extended identifiers"

# filters CASE ID FRAMES ARGUMENT…: add rules with these arguments of canbench-rules, and send
# frames with the identifier ID
filters() {
	local case=$1 id=$2 frames=$3
	shift 3
	canbench-rules "$@" vcan0 vcan1
	measure "$case" canbench-syscalls --method write --no-receiver --id "$id" \
		--frames "$frames" --repeat 10 vcan0
	cangw -F
}

bench() {
	vcans vcan0 vcan1
	filters "1 standard identifier" 000 200
	filters "2048 standard identifiers" 400 200 --count 2048
	filters "1 extended identifier" 00000000 200 --first 00000000 --mask DFFFFFFF
	filters "16384 extended identifiers" 00000400 200 --count 16384 --first 00000000 --mask DFFFFFFF
	filters "1 mask filter" 000 200 --mask 7FF
	filters "8 filters, 1 mask" 004 200 --count 8 --mask 7FF
	filters "32 filters, 1 mask" 010 200 --count 32 --mask 7FF
	filters "2048 filters, 1 mask" 400 50 --count 2048 --mask 7FF
	filters "65536 filters, 1 mask" 00008000 10 --count 65536 --first 00000000 --mask 9FFFFFFF
	filters "2048 filters, 16 masks" 00000400 50 --count 2048 --first 00000000 --mask 800007FF --masks 16
	filters "256 filters, 256 masks" 00000080 100 --count 256 --first 00000000 --mask 800007FF --masks 256
}
