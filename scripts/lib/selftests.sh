# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kselftests: built and installed from the patched tree with the kernel's
# own makefiles, against the patched tree's uapi headers (those of the host are
# older), and run in the machine by the kernel's own runner.

HEADERS=$BUILD/headers
KSELFTEST=$BUILD/kselftest
TEST_LOGS=$BUILD/log/kselftest

export_headers() {
	make -C "$TREE" O="$HEADERS" -j "$JOBS" headers
}

install_selftests() {
	local log=$LOG/selftests.compile.log
	rm -rf "$KSELFTEST"
	make -C "$TREE/tools/testing/selftests" TARGETS=net/can CC="ccache gcc" O="$BUILD/selftests" \
		KHDR_INCLUDES="-isystem $HEADERS/usr/include" \
		KSFT_INSTALL_PATH="$KSELFTEST" install 2>&1 | tee "$log"
	if grep -E '(warning|error):' "$log"; then
		echo "the kselftests do not build without a warning"
		return 1
	fi
	# the runner takes what is missing for an empty list
	[[ -s $KSELFTEST/kselftest-list.txt ]]
}

need_selftests() {
	local key
	need_tree
	key=$(tree_key include/uapi arch/x86/include/uapi tools/testing/selftests)
	stamp_fresh "$KSELFTEST.stamp" "$key" && return
	rm -f "$KSELFTEST.stamp"
	step "export the uapi headers" export_headers
	step "build the kselftests" install_selftests
	stamp_write "$KSELFTEST.stamp" "$key"
}

# Which programs go into which machine; the machines of one run work at the same
# time. "shell" (programs that start many processes) and "c" take about as long
# as each other. Two machines want to have one CPU each: with two CPUs, each of
# which has to wait for the other, on one of the host, a machine was four times
# slower. "sim-long" and "sim-short" are those on simulated buses, whose time is
# the machine's: there it counts instructions, so that a busy host does not make a
# bus late.
SHARDS=(all)
SIM_ICOUNT=1
SIM_LONG=':sim_(load|fifo|time)$'

shard_programs() {
	case $1 in
	all) cat "$KSELFTEST/kselftest-list.txt" ;;
	sim-long) grep -E "$SIM_LONG" "$KSELFTEST/kselftest-list.txt" ;;
	sim-short) grep ':sim_' "$KSELFTEST/kselftest-list.txt" | grep -vE "$SIM_LONG" ;;
	shell) grep '\.sh$' "$KSELFTEST/kselftest-list.txt" | grep -v ':sim_' ;;
	c) grep -v -e '\.sh$' -e ':sim_' "$KSELFTEST/kselftest-list.txt" ;;
	threads) threaded_programs ;;
	half1) head -n "$(half_of_programs)" "$KSELFTEST/kselftest-list.txt" ;;
	half2) tail -n "+$(($(half_of_programs) + 1))" "$KSELFTEST/kselftest-list.txt" ;;
	esac
}

half_of_programs() {
	echo $((($(wc -l <"$KSELFTEST/kselftest-list.txt") + 1) / 2))
}

# The programs that do several things at the same time, and for which a second
# CPU makes the difference; not those on simulated buses, whose machine has one.
threaded_programs() {
	local file
	grep -l pthread_create "$TREE"/tools/testing/selftests/net/can/[!s]*.c | while IFS= read -r file; do
		grep -x "net/can:$(basename "$file" .c)" "$KSELFTEST/kselftest-list.txt" || :
	done
}

run_shard() {
	local name=$1 shard=$2 selected
	mapfile -t selected < <(shard_programs "$shard")
	[[ $shard == sim-* ]] && VM_ICOUNT=$SIM_ICOUNT VM_SPIN=yes VM_CAN=none
	VM_CONSOLE=$TEST_LOGS/$name-$shard.console
	vm_run "$LAB_ROOT/scripts/guest/kselftest" "$KSELFTEST" "$TEST_LOGS/$name-$shard" "${selected[@]}"
}

# run_selftests NAME: run all of them in prepared machines; the KTAP output and
# the kernel's log go to build/log/kselftest/NAME-*. Judges the result.
run_selftests() {
	local name=$1 shard pids=() i bad=0 status
	mkdir -p "$TEST_LOGS"
	rm -f "$TEST_LOGS/$name"-*
	kvm_works || :
	unlock_build
	for shard in "${SHARDS[@]}"; do
		run_shard "$name" "$shard" &
		pids+=($!)
	done
	for i in "${!SHARDS[@]}"; do
		status=0
		wait "${pids[i]}" || status=$?
		judge_shard "$name-${SHARDS[i]}" "$status" \
			"$(shard_programs "${SHARDS[i]}" | wc -l)" || bad=1
	done
	return $bad
}

# A run counts only if the runner came to its end, every program was run and
# passed, none of them skipped all that it has, and the kernel reported nothing.
judge_shard() {
	local name=$1 status=$2 programs=$3 log=$TEST_LOGS/$1 ktap=$TEST_LOGS/$1.ktap
	local passed failed cases skipped

	if ((status != 0)) || [[ ! -f $log.end ]]; then
		say "the machine did not come to the end of the kselftests (status $status); the end of $log.console:"
		tail -n 15 "$log.console" | sed 's/^/  | /' >&2
		return 1
	fi
	passed=$(grep -c '^ok .*[a-z]$' "$ktap" || :)
	failed=$(grep -cE '^(not ok |ok .*# SKIP)' "$ktap" || :)
	cases=$(grep -cE '^# ok ' "$ktap" || :)
	skipped=$(grep -cE '^# ok .*# SKIP' "$ktap" || :)

	if ((passed + failed != programs)); then
		say "$programs programs were to run, but $((passed + failed)) reported a result: $ktap"
		return 1
	fi
	if ((failed)); then
		say "these kselftests failed, or skipped everything (all of it: $ktap):"
		grep -E '^(# )*not ok |^ok .*# SKIP|^# # .*(Expected|terminated)|^# # [a-z_]+, line' "$ktap" |
			head -n 40 | sed 's/^/  | /' >&2
		return 1
	fi
	if grep -nE "$KERNEL_REPORTS" "$log.dmesg" >&2; then
		say "the kernel reported the above (all of it: $log.dmesg)"
		return 1
	fi
	say "$name: $programs programs passed, with $((cases - skipped)) cases; $skipped skipped; no kernel report"
	TESTS_PASSED=$((${TESTS_PASSED:-0} + programs))
}

# What KASAN, lockdep, RCU, the atomic-sleep check, UBSAN, debugobjects, the
# reference trackers and the hung-task check print, and every WARN and BUG.
KERNEL_REPORTS='BUG:|WARNING:|KASAN|UBSAN|INFO: possible|INFO: task .* blocked|possible circular|suspicious RCU|rcu:.*(stall|detected)|sleeping function|ODEBUG|unregister_netdevice: waiting|Oops|general protection|refcount_t|kernel BUG|leaked reference|inconsistent lock state'
