# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='How long the gateway takes from the end of a frame of eight bytes on one simulated bus (cansim) to its
first bit on another one, both at 1 Mbit/s: with an ordinary rule, without and with NAPI in a thread of the real-time
priority 85, with an express rule, with 2048 express rules, and with a module that only copies registers in the
interrupt ("bare"); with the modules of the distribution, only with an ordinary rule. The CPU is idle, handles a flood
of pings of 60000 bytes, or trains of 1000 datagrams from a simulated card whose driver uses the backlog of the CPU,
or NAPI, or runs a program that computes. Frames come one by one. With EXPRESS_SHIFT=1, a CPU of 500 MIPS instead of
125, also how many frames get through when the first bus is full, and when 49 % of both buses are offered for the other
one: 125 MIPS are too few for the simulation of two full buses. EXPRESS_COUNT is the number of single frames,
EXPRESS_PERIOD the time between them (1ms by default), EXPRESS_FULL the number of the others, EXPRESS_TRAFFIC what is
measured (single full both), EXPRESS_WAYS limits the pairs of controllers, such as sja1000-mpc5200, EXPRESS_LOADS the
loads (none ethernet backlog napi cpu), EXPRESS_ROUTES the ways of a frame (ordinary at-85 express of-2048 bare),
EXPRESS_KINDS the modules (baseline patched), EXPRESS_PAGELIST the value of vm.percpu_pagelist_high_fraction, and
EXPRESS_TIMEOUT the seconds for one virtual machine.'
BENCH_CAN=none
BENCH_ICOUNT=${EXPRESS_SHIFT:-3}
BENCH_KINDS=${EXPRESS_KINDS:-baseline patched}
BENCH_TIMEOUT=${EXPRESS_TIMEOUT:-3600}
BENCH_SHOW=express.py
BENCH_PACKAGES="python3-matplotlib python3-jsonschema"

# 49 % of a bus at 1 Mbit/s
HALF_PERIOD=250us

# routed NAME IN OUT OPTION…: each way that a frame can take
routed() {
	local name=$1 in=$2 out=$3 route label how
	shift 3
	for route in ${EXPRESS_ROUTES:-ordinary at-85 express of-2048 bare}; do
		case $route in
		ordinary) label=ordinary how=() ;;
		at-85) label="ordinary at 85" how=(--threaded 85) ;;
		express) label=express how=(--express) ;;
		of-2048) label="express of 2048" how=(--express --rules 2048) ;;
		bare) label=bare how=(--bare) ;;
		*)
			echo "EXPRESS_ROUTES: $route is unknown"
			return 1
			;;
		esac
		[[ $route == ordinary || $(modinfo -n can-dev) == */updates/* ]] || continue
		[[ $route != bare || $in != mcp* ]] || continue
		losses "$name, $label" canbench-load "$@" "${how[@]}" --gateway "$out" "$in"
	done
}

# traffic KIND: its options
traffic() {
	case $1 in
	single) echo "--count ${EXPRESS_COUNT:-1000} --period ${EXPRESS_PERIOD:-1ms}" ;;
	full) echo "--count ${EXPRESS_FULL:-8000}" ;;
	both) echo "--count ${EXPRESS_FULL:-8000} --period $HALF_PERIOD --both" ;;
	esac
}

bench() {
	local way load traffic kinds=single
	[[ ${EXPRESS_SHIFT:-3} -gt 1 ]] || kinds="single full both"
	for_now /proc/sys/kernel/printk 1
	[[ ! ${EXPRESS_PAGELIST:-} ]] || for_now /proc/sys/vm/percpu_pagelist_high_fraction "$EXPRESS_PAGELIST"
	for way in ${EXPRESS_WAYS:-sja1000-sja1000 sja1000-mpc5200 mpc5200-sja1000 mcp2515-mpc5200}; do
		for load in ${EXPRESS_LOADS:-none ethernet backlog napi cpu}; do
			for traffic in ${EXPRESS_TRAFFIC:-$kinds}; do
				# an MCP2515 is no destination of express rules
				[[ $way != mcp* || $traffic != both ]] || continue
				# shellcheck disable=SC2046 # words
				routed "${way/-/ to }, $traffic, $load" "${way%-*}" "${way#*-}" $(traffic "$traffic") --load "$load"
			done
		done
	done
}
