#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules kernel vm tools bench; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab bench [--list] [--kernel stock|rt] [--repeat N] [--document | --native]
	                   [NAME…]

	Runs the named benchmarks, or all of them, and prints a table. Each benchmark runs
	in a virtual machine whose clock counts instructions, on one CPU, once with the
	distribution's CAN modules (baseline) and once with ours (patched) on the same
	kernel. All of this is done at least twice, each time in a new virtual machine. The
	figures are instructions per frame, unless the table has another unit.

	  --list      describe each benchmark
	  --kernel K  stock: Debian's 6.12 kernel (the default); rt: its PREEMPT_RT kernel
	  --repeat N  take each figure N times (2 or more, default 2)
	  --document  also replace the table in Documentation/can-fastpath/measurements.rst
	  --native    run the programs on this host instead, with the modules that are
	              loaded: nanoseconds instead of instructions, one column, as root.
	              The host must be idle, or the figures are noise.

	A figure whose repeats differ by more than 0.5 % is reported as unusable and not
	averaged. A figure that depends on chance, or is the difference of two others, is
	shown with its range instead. Results with all repeats are in
	build/bench/NAME.json, or NAME-rt.json. The exit status is 1 if a benchmark failed or a
	figure was unusable.
	END
}

repeat=2
kernel=
native=
table=()
names=()
while (($#)); do
	case $1 in
	-h | --help)
		usage
		exit 0
		;;
	--list)
		list_benchmarks
		exit 0
		;;
	--kernel)
		[[ ${2:-} =~ ^(stock|rt)$ ]] || die "--kernel is stock or rt: \"${2:-}\""
		BENCH_FLAVOUR=$2
		kernel=yes
		shift
		;;
	--repeat)
		[[ ${2:-} =~ ^[0-9]+$ && $2 -ge 2 ]] || die "--repeat needs a number of at least 2, not \"${2:-}\""
		repeat=$2
		shift
		;;
	--native) native=yes ;;
	--document) table=(--into "$LAB_ROOT/Documentation/can-fastpath/measurements.rst") ;;
	-*) die "unknown option \"$1\" (see ./lab bench --help)" ;;
	*)
		[[ -f $(bench_file "$1") ]] || die "there is no benchmark \"$1\" (see ./lab bench --list)"
		names+=("$1")
		;;
	esac
	shift
done
((${#names[@]})) || mapfile -t names < <(benchmark_names)

[[ ! $native || ${#table[@]} == 0 ]] || die "measurements.rst has counted instructions: --document and --native exclude each other"
[[ ! $native || ! $kernel ]] || die "--native runs on the kernel of this machine: it excludes --kernel"

lock_build
need_basics
need_can_tools
status=0
for name in "${names[@]}"; do
	if [[ $native ]]; then
		bench_native "$name" "$repeat" || status=1
	else
		bench_machines "$name" "$repeat" "${table[@]}" || status=1
	fi
done
exit $status
