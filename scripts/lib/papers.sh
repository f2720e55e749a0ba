# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The experiments of the papers (scripts/papers/). Everything is below build/papers:
#
#	stamps.json	what modules and programs are, of which the names of results depend
#	bin-HASH/	copies of the programs: meanwhile, others may be built
#	plan.json	all runs that were asked for
#	lists/		runs of each virtual machine that have no result
#	results/	NAME.json, or NAME.failed with the reason
#	index.html	the page

PAPERS=$BUILD/papers
PAPERS_MACHINES=2 # at the same time

# The kernel of each KERNEL-MODULES
declare -A PAPERS_BOOT=()

# sum_of FILE…: a sum of the contents of files in a fixed order
sum_of() {
	sha256sum "$@" | cut -d ' ' -f 1 | sha256sum | cut -c 1-16
}

# papers_modules KERNEL: a sum of both sets of modules, of which that of the distribution has the
# simulated controllers
papers_modules() {
	local -a files
	mapfile -t files < <(find "$BUILD/modules/$1/src" "$BUILD/modules/$1-baseline" -name '*.ko' | sort)
	sum_of "${files[@]}"
}

# papers_programs: copy the programs; sets PAPERS_BIN
papers_programs() {
	local program sum
	local -a used=("$TOOLS"/bin/{canbench-load,canroute,canugw} "$(command -v hackbench)"
		"$(command -v qemu-system-x86_64)" "$LAB_ROOT/scripts/guest/papers")
	sum=$(sum_of "${used[@]}")
	PAPERS_BIN=$PAPERS/bin-$sum
	mkdir -p "$PAPERS_BIN"
	for program in "${used[@]:0:3}"; do
		cp "$program" "$PAPERS_BIN/"
	done
}

# papers_lock: until the end, no other call changes what is below build/papers
papers_lock() {
	exec 8>"$PAPERS/lock"
	flock -n 8 || die "another ./lab papers is at work here"
}

# papers_stamps KERNEL…: the results of other kernels are not needed
papers_stamps() {
	local kernel
	local -A release
	for kernel; do
		KERNEL_RELEASE=
		need_boot "$kernel" baseline
		PAPERS_BOOT["$kernel-baseline"]=$BOOT_KERNEL
		need_boot "$kernel" patched
		PAPERS_BOOT["$kernel-patched"]=$BOOT_KERNEL
		release[$kernel]=$KERNEL_RELEASE
	done
	papers_programs
	{
		printf '{ "programs": "%s"' "${PAPERS_BIN##*/bin-}"
		for kernel; do
			printf ', "%s": "%s %s"' "$kernel" "${release[$kernel]}" "$(papers_modules "$kernel")"
		done
		echo ' }'
	} >"$PAPERS/stamps.json"
}

# papers_machine NAME KERNEL MODULES SHIFT: a virtual machine with a list of runs, until all of
# these have a result or have failed
papers_machine() {
	local name=$1 list=$PAPERS/lists/$1 started key
	VM_FLAVOUR=$2 VM_KIND=$3 VM_ICOUNT=$4 VM_CAN=none
	VM_TIMEOUT=14400
	VM_CONSOLE=$PAPERS/lists/$name.console
	BOOT_KERNEL=${PAPERS_BOOT["$2-$3"]}
	while [[ -s $list ]]; do
		rm -f "$PAPERS/results/$name.end"
		vm_run "$LAB_ROOT/scripts/guest/papers" "$list" "$PAPERS_BIN" "$PAPERS/results" \
			>"$PAPERS/lists/$name.output" 2>&1 || :
		[[ ! -e $PAPERS/results/$name.end ]] || break
		started=
		while read -r key _; do
			[[ -e $PAPERS/results/$key.started ]] || continue
			started=yes
			mv "$PAPERS/results/$key.started" "$PAPERS/results/$key.failed"
			echo "the virtual machine ended during this run, see lists/$name.console" >>"$PAPERS/results/$key.failed"
		done <"$list"
		if [[ ! $started ]]; then
			say "papers: the virtual machine $name did not start its runs: $PAPERS/lists/$name.output"
			return 1
		fi
		papers_without_result <"$list" >"$list.rest"
		mv "$list.rest" "$list"
	done
	rm -f "$PAPERS/results/$name.end" "$list"
}

# papers_without_result: from standard input, the runs that have neither a result nor have failed
papers_without_result() {
	local line key
	while IFS= read -r line; do
		key=${line%% *}
		[[ -e $PAPERS/results/$key.json || -e $PAPERS/results/$key.failed ]] || printf '%s\n' "$line"
	done
}

# papers_progress TOTAL: until killed, print how many runs of all lists are done
papers_progress() {
	local total=$1 begin=$SECONDS ready left
	while sleep 60; do
		left=$(cat "$PAPERS"/lists/*-[0-9] 2>/dev/null | papers_without_result | wc -l)
		ready=$((total - left))
		((ready)) || continue
		say "papers: $ready of $total runs, about $(((SECONDS - begin) * left / ready / 60 + 1)) minutes left"
	done
}

# papers_tree PID…: these processes and all that they have started
papers_tree() {
	local pid
	local -a started
	for pid; do
		echo "$pid"
		mapfile -t started < <(pgrep -P "$pid")
		((${#started[@]} == 0)) || papers_tree "${started[@]}"
	done
}

# papers_end PID…: end them. Who ends first would hide what it has started.
papers_end() {
	local -a tree
	mapfile -t tree < <(papers_tree "$@")
	kill "${tree[@]}" 2>/dev/null || :
}

# papers_interrupted: what is under way has not failed
papers_interrupted() {
	local -a jobs
	trap - INT TERM
	mapfile -t jobs < <(jobs -p)
	papers_end "${jobs[@]}"
	die "papers: interrupted; the command goes on where it was"
}

# papers_measure PLAN-OPTION…
papers_measure() {
	local name kernel modules shift count total=0 progress
	local -a machines=() running=()
	# each call tries again what has failed
	rm -f "$PAPERS"/lists/*-[0-9] "$PAPERS"/results/*.{failed,started,error,part}
	trap papers_interrupted INT TERM
	while read -r name kernel modules shift count; do
		machines+=("$name $kernel $modules $shift")
		total=$((total + count))
	done < <(/usr/bin/python3 "$LAB_ROOT/scripts/papers/plan.py" "$PAPERS" "$@" || echo failed)
	[[ ${machines[*]:-} != *failed* ]] || die "papers: no plan"
	say "papers: $total runs in ${#machines[@]} virtual machines"
	((total)) || return 0
	papers_progress "$total" &
	progress=$!
	for name in "${machines[@]}"; do
		if ((${#running[@]} >= PAPERS_MACHINES)); then
			wait -n "${running[@]}" || :
			mapfile -t running < <(jobs -rp | grep -vx "$progress")
		fi
		# shellcheck disable=SC2086 # four words
		papers_machine $name &
		running+=($!)
	done
	for name in "${running[@]}"; do
		wait "$name" || :
	done
	papers_end "$progress"
	trap - INT TERM
	# that of a machine which has not started
	[[ ! $(cat "$PAPERS"/lists/*-[0-9] 2>/dev/null) ]]
}
