# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='The gateway: the cost of one write() on a vcan interface whose frames are routed to another one, without
a reader. No rule, tc instead of a rule, a plain rule, each kind of modification, checksums, chains of up to 6 hops over
vcan, and longer chains through vxcan pairs, after each of which the hop count starts again.'

PLAIN=(-s vcan0 -d vcan1)

write_cost() {
	measure "$1" canbench-syscalls --method write --no-receiver --frames 100 --repeat 25 vcan0
}

one_rule() {
	local case=$1
	shift
	rule "${PLAIN[@]}" "$@"
	write_cost "$case"
	cangw -F
}

# The same without the gateway: tc redirects or mirrors frames before CAN receives them.
without_gateway() {
	local how
	tc qdisc add dev vcan0 clsact
	for how in redirect mirror; do
		tc filter add dev vcan0 ingress matchall action mirred egress "$how" dev vcan1
		write_cost "no rule, tc $how"
		tc filter del dev vcan0 ingress
	done
	tc qdisc del dev vcan0 clsact
}

# The cost does not depend on the content of the table.
crc_table() {
	local i
	for ((i = 0; i < 256; i++)); do
		printf '%02X' $(((i * 0x2F) & 0xFF))
	done
}

modifications() {
	local data=0102030405060708
	one_rule "AND on data" -m "AND:D:000.0.$data"
	one_rule "OR on data" -m "OR:D:000.0.$data"
	one_rule "XOR on data" -m "XOR:D:000.0.$data"
	one_rule "SET on data" -m "SET:D:000.0.$data"
	one_rule "SET on identifier" -m "SET:I:321.0.$data"
	one_rule "SET on length" -m "SET:L:000.4.$data"
	one_rule "AND, OR, XOR and SET on all" -m "AND:ILD:7FF.F.$data" -m "OR:ILD:001.0.$data" \
		-m "XOR:ILD:002.0.$data" -m "SET:ILD:321.8.$data"
	one_rule "AND on data, XOR checksum" -m "AND:D:000.0.$data" -x 0:6:7:00
	one_rule "AND on data, CRC8" -m "AND:D:000.0.$data" -c "0:6:7:FF:FF:$(crc_table)"
}

# chain N: N rules, each to the next vcan, whose echo the next rule routes
chain() {
	local i
	for ((i = 0; i < $1; i++)); do
		rule -s "vcan$i" -d "vcan$((i + 1))" -e
	done
	write_cost "$1 hops over vcan"
	cangw -F
}

# pair_chain N: N rules; frames sent to vx0a are received on vx0b, and the next rule routes them
pair_chain() {
	local i from=vcan0
	for ((i = 0; i < $1; i++)); do
		rule -s "$from" -d "vx${i}a"
		from=vx${i}b
	done
	write_cost "$1 hops through vxcan pairs"
	cangw -F
}

vxcan_pairs() {
	local i
	modprobe vxcan
	for ((i = 0; i < $1; i++)); do
		ip link add "vx${i}a" type vxcan peer name "vx${i}b"
		ip link set "vx${i}a" up
		ip link set "vx${i}b" up
	done
}

bench() {
	local hops
	modprobe -r can-gw
	modprobe can-gw max_hops=6
	vcans vcan0 vcan1 vcan2 vcan3 vcan4 vcan5 vcan6
	write_cost "no rule"
	without_gateway
	one_rule "plain"
	one_rule "plain, echo" -e
	modifications
	for hops in 2 3 4 5 6; do
		chain "$hops"
	done
	vxcan_pairs 24
	for hops in 1 2 4 6 12 24; do
		pair_chain "$hops"
	done
}
