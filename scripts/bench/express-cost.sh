# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Where the instructions of a frame go that the gateway routes from one simulated controller (cansim) to another
one: with an ordinary rule, an express rule, 2048 express rules, and a module that only copies registers in the interrupt
("bare"). 2000 frames of eight bytes come per second, and a plugin of QEMU counts the instructions of each function of the
kernel. The figures are the difference of a long and a short run, in instructions per frame. The first run is shown.'
BENCH_CAN=none
BENCH_ICOUNT=3
BENCH_KINDS=patched
BENCH_PLUGIN=profile
BENCH_SHOW=profile.py

FEW=500
MANY=2500
PERIOD=500us

# counted NAME COUNT ARGUMENT…: a part of the counts
counted() {
	python3 "$(dirname "$FILE")/mark.py"
	losses "$1, $2 frames" canbench-load --count "$2" --period $PERIOD "${@:3}"
	python3 "$(dirname "$FILE")/mark.py"
}

# routed NAME ARGUMENT…
routed() {
	losses "$1, before" canbench-load --count $FEW --period $PERIOD "${@:2}"
	counted "$1" $FEW "${@:2}"
	counted "$1" $MANY "${@:2}"
}

bench() {
	local way in out
	for_now /proc/sys/kernel/printk 1
	# udev still loads modules
	sleep 10
	for way in sja1000-sja1000 sja1000-mpc5200 mpc5200-sja1000; do
		in=${way%-*} out=${way#*-}
		routed "$in to $out, ordinary" --gateway "$out" "$in"
		routed "$in to $out, express" --express --gateway "$out" "$in"
		routed "$in to $out, express of 2048" --express --rules 2048 --gateway "$out" "$in"
		routed "$in to $out, bare" --bare --gateway "$out" "$in"
	done
	cp /proc/kallsyms "$OUT/kallsyms"
}
