# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Benchmarks: one file each in scripts/bench/. scripts/guest/bench sources it in the
# virtual machine, and documents the functions that it can call. Here it is sourced for
#
#	BENCH_ABOUT	one paragraph: what is measured, and how
#	BENCH_CAN	the bus of each emulated controller, as for lab vm --can
#	BENCH_KINDS	which modules (default "baseline patched")
#	BENCH_MODULE	a directory in scripts/bench/ with a kernel module, which is built
#			with our sources and loaded before the benchmark
#	BENCH_MOST	the highest accepted ratio of patched to baseline (default: any)
#	BENCH_CHANCE	a figure that depends on chance, and is shown with its range
#	BENCH_OWN	a kernel of our own (scripts/NAME.config), instead of one of Debian's
#	BENCH_PLUGIN	a directory in scripts/bench/ with plugin.c, a plugin of QEMU, which gets
#			out=DIR/counts, DIR being the directory of the run
#	BENCH_PACKAGES	Debian packages that the virtual machine or BENCH_SHOW needs
#	BENCH_TIMEOUT	seconds for one virtual machine (default 1800)
#	BENCH_SHOW	a program beside it, which shows the results in another way
#	BENCH_ICOUNT	N: 2^N ns per instruction (default 0: 1000 MIPS, where timer
#			interrupts are a small part of the instructions)

BENCH=$BUILD/bench
BENCH_FLAVOUR=stock # kernel of the virtual machines: stock or rt

bench_file() {
	printf '%s' "$LAB_ROOT/scripts/bench/$1.sh"
}

benchmark_names() {
	local file
	for file in "$LAB_ROOT"/scripts/bench/*.sh; do
		basename "$file" .sh
	done
}

# bench_setting NAME VARIABLE
bench_setting() {
	(
		# shellcheck source=/dev/null
		. "$(bench_file "$1")"
		printf '%s' "${!2:-}"
	)
}

bench_icount() {
	local icount
	icount=$(bench_setting "$1" BENCH_ICOUNT)
	printf '%s' "${icount:-0}"
}

bench_kinds() {
	local kinds
	kinds=$(bench_setting "$1" BENCH_KINDS)
	printf '%s' "${kinds:-baseline patched}"
}

# bench_module NAME: build the module of a benchmark, and print its path
bench_module() {
	local module dir sources=$BUILD/modules/$BENCH_FLAVOUR/src
	module=$(bench_setting "$1" BENCH_MODULE)
	[[ $module ]] || return 0
	dir=$BENCH/modules/$module-$BENCH_FLAVOUR
	mkdir -p "$dir"
	rsync -a "$LAB_ROOT/scripts/bench/$module/" "$dir/"
	make -C "$KERNEL_HEADERS" M="$dir" CC="ccache $KERNEL_CC" W=1 \
		NOSTDINC_FLAGS="-nostdinc -I$sources/include -I$sources/include/uapi -I$sources/net/can" \
		modules >"$LOG/bench-module.log" 2>&1 || die "$module does not build: $LOG/bench-module.log"
	printf '%s' "$dir/$module.ko"
}

# Name of a benchmark on this kernel: for its directory, its table and its JSON file
bench_title() {
	if [[ $BENCH_FLAVOUR == stock ]]; then
		printf '%s' "$1"
	else
		printf '%s-%s' "$1" "$BENCH_FLAVOUR"
	fi
}

# bench_plugin NAME: build the plugin of a benchmark, and print its path
bench_plugin() {
	local plugin
	plugin=$(bench_setting "$1" BENCH_PLUGIN)
	[[ $plugin ]] || return 0
	mkdir -p "$BENCH/plugins"
	gcc -std=gnu11 -O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden \
		-o "$BENCH/plugins/$plugin.so" "$LAB_ROOT/scripts/bench/$plugin/plugin.c" ||
		die "the plugin $plugin does not build"
	printf '%s' "$BENCH/plugins/$plugin.so"
}

list_benchmarks() {
	local name
	while IFS= read -r name; do
		printf '%s\n' "$name"
		bench_setting "$name" BENCH_ABOUT | fmt -w 76 | sed 's/^/    /'
		echo
	done < <(benchmark_names)
}

# bench_machine NAME KIND RUN MODULE KERNEL PLUGIN: one run in one virtual machine. It holds no build
# lock, so KERNEL has been built before. Several run at the same time, because counts of
# instructions do not depend on the speed of the host.
bench_machine() {
	local name=$1 kind=$2 run=$3 module=$4 dir
	BOOT_KERNEL=$5
	dir=$BENCH/runs/$(bench_title "$name")/$kind-$run
	mkdir -p "$dir"
	[[ ! $6 ]] || VM_PLUGIN=$6,out=$dir/counts
	VM_FLAVOUR=$BENCH_FLAVOUR VM_KIND=$kind VM_ICOUNT=$(bench_icount "$name")
	VM_TIMEOUT=$(bench_setting "$name" BENCH_TIMEOUT)
	VM_TIMEOUT=${VM_TIMEOUT:-1800}
	VM_CAN=$(bench_setting "$name" BENCH_CAN)
	VM_CAN=${VM_CAN:-none}
	VM_CONSOLE=$dir/console
	vm_run "$LAB_ROOT/scripts/guest/bench" "$(bench_file "$name")" "$TOOLS/bin" "$dir" "$module" \
		>"$dir/output" 2>&1 && [[ -f $dir/end ]]
}

bench_failed() {
	local name=$1 dir=$2
	say "the benchmark $name did not come to its end in $(basename "$dir"). The end of $dir/output:"
	tail -n 25 "$dir/output" | sed 's/^/  | /' >&2
}

# bench_machines NAME REPEAT [TABLE-OPTION…]
bench_machines() {
	local name=$1 repeat=$2 run kind kinds pids=() dirs=() i status=0 title module most chance show own packages plugin
	local -A boot
	shift 2
	title=$(bench_title "$name")
	rm -rf "$BENCH/runs/$title"
	read -ra kinds <<<"$(bench_kinds "$name")"
	own=$(bench_setting "$name" BENCH_OWN)
	[[ ! $own || $BENCH_FLAVOUR == stock ]] || own+=-$BENCH_FLAVOUR
	packages=$(bench_setting "$name" BENCH_PACKAGES)
	# shellcheck disable=SC2086 # words
	[[ ! $packages ]] || need_packages $packages
	for kind in "${kinds[@]}"; do
		if [[ $own ]]; then
			need_own_boot "$own"
			KERNEL_RELEASE=$own
		else
			need_boot "$BENCH_FLAVOUR" "$kind"
		fi
		boot[$kind]=$BOOT_KERNEL
	done
	module=$(bench_module "$name")
	plugin=$(bench_plugin "$name")
	unlock_build
	for ((run = 1; run <= repeat; run++)); do
		pids=() dirs=()
		say "$name: run $run of $repeat, ${kinds[*]} modules on the kernel $KERNEL_RELEASE"
		for kind in "${kinds[@]}"; do
			bench_machine "$name" "$kind" "$run" "$module" "${boot[$kind]}" "$plugin" &
			pids+=($!)
			dirs+=("$BENCH/runs/$title/$kind-$run")
		done
		for i in "${!pids[@]}"; do
			wait "${pids[i]}" && continue
			bench_failed "$name" "${dirs[i]}"
			status=1
		done
		((status == 0)) || return 1
	done
	most=$(bench_setting "$name" BENCH_MOST)
	chance=$(bench_setting "$name" BENCH_CHANCE)
	python3 "$LAB_ROOT/scripts/bench/table.py" --icount "$(bench_icount "$name")" ${most:+--most "$most"} ${chance:+--chance "$chance"} \
		--json "$BENCH/$title.json" "$@" "$title" "$BENCH/runs/$title" || status=1
	show=$(bench_setting "$name" BENCH_SHOW)
	[[ ! $show ]] || /usr/bin/python3 "$LAB_ROOT/scripts/bench/$show" "$title" "$BENCH/runs/$title" || status=1
	return $status
}

bench_native() {
	local name=$1 repeat=$2 run dir apart=(unshare -n)
	[[ ! $(bench_setting "$name" BENCH_OWN)$(bench_setting "$name" BENCH_PLUGIN) ]] ||
		die "the benchmark $name needs a virtual machine"
	# a new network namespace has no real controllers
	[[ ! $(bench_setting "$name" BENCH_CAN) ]] || apart=()
	((EUID == 0)) || die "--native makes interfaces and loads modules: it wants root"
	rm -rf "$BENCH/runs/$name"
	for ((run = 1; run <= repeat; run++)); do
		dir=$BENCH/runs/$name/native-$run
		mkdir -p "$dir"
		say "$name: run $run of $repeat on this machine"
		if ! "${apart[@]}" "$LAB_ROOT/scripts/guest/bench" "$(bench_file "$name")" \
			"$TOOLS/bin" "$dir" >"$dir/output" 2>&1; then
			bench_failed "$name" "$dir"
			return 1
		fi
	done
	python3 "$LAB_ROOT/scripts/bench/table.py" --json "$BENCH/$name.json" "$name" "$BENCH/runs/$name"
}
