# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Loading gateway rules with canroute in one transaction, in instructions per rule, including the whole
program and its file; compared with a program that sends the same prepared messages to a netlink family that only
validates them against the policies (can-gw-null).'
BENCH_KINDS=patched
BENCH_MODULE=can-gw-null

RULES=/tmp/bench.rules

# load CASE COUNT WORD…: load COUNT rules with different identifiers, and WORDs in each
load() {
	local case=$1 count=$2 i
	shift 2
	for ((i = 0; i < count; i++)); do
		printf 'from vcan0 to vcan1 id %08X %s\n' "$i" "$*"
	done >"$RULES"
	measure "$case" canbench-netlink "$RULES"
}

bench() {
	vcans vcan0 vcan1
	load "65536 rules" 65536
	load "65536 rules with AND" 65536 and data=FF.FF.FF.00
	load "4096 rules with CRC8" 4096 crc8 0..6 at 7 poly 1D
}
