# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='How long the gateway takes from the end of a frame of eight bytes on one simulated bus (cansim) to its first
bit on another one, both at 1 Mbit/s, with an ordinary rule and with an express rule (with the modules of the
distribution, both are ordinary ones), while the CPU is idle, handles a
flood of pings of 60000 bytes, or trains of 1000 datagrams from a simulated card whose driver uses the backlog of the CPU,
or NAPI, or runs a program that computes. One frame comes each millisecond. EXPRESS_COUNT is the number of frames,
EXPRESS_WAYS limits the pairs of controllers, such as sja1000-mpc5200, EXPRESS_LOADS the loads (none ethernet backlog
napi cpu), and EXPRESS_SHIFT=1 makes a CPU of 500 MIPS instead of 125.'
BENCH_CAN=none
BENCH_ICOUNT=${EXPRESS_SHIFT:-3}

routed() {
	local in=$1 out=$2 load=$3 case=$4
	shift 4
	losses "$in to $out, load $load, $case" canbench-load --count "${EXPRESS_COUNT:-1000}" --period 1ms \
		--load "$load" --gateway "$out" "$@" "$in"
}

bench() {
	local way load express=()
	[[ $(modinfo -n can-dev) != */updates/* ]] || express=(--express)
	for_now /proc/sys/kernel/printk 1
	for way in ${EXPRESS_WAYS:-sja1000-sja1000 sja1000-mpc5200 mpc5200-sja1000 mcp2515-mpc5200}; do
		for load in ${EXPRESS_LOADS:-none ethernet backlog napi cpu}; do
			routed "${way%-*}" "${way#*-}" "$load" ordinary
			routed "${way%-*}" "${way#*-}" "$load" express "${express[@]}"
		done
	done
}
