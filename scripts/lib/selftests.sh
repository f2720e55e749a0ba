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

# run_selftests NAME: run all of them in the prepared machine; the KTAP output
# and the kernel's log go to build/log/kselftest/NAME.*. Judges the result.
run_selftests() {
	local name=$1 status=0
	mkdir -p "$TEST_LOGS"
	rm -f "$TEST_LOGS/$name".*
	vm_run "$LAB_ROOT/scripts/guest/kselftest" "$KSELFTEST" "$TEST_LOGS/$name" || status=$?
	judge_selftests "$name" "$status"
}

# A run counts only if the runner came to its end, every program in the list
# was run, and the kernel reported nothing.
judge_selftests() {
	local name=$1 status=$2 ktap=$TEST_LOGS/$1.ktap dmesg=$TEST_LOGS/$1.dmesg
	local programs passed failed skipped

	if ((status != 0)) || [[ ! -f $TEST_LOGS/$name.end ]]; then
		say "the machine did not come to the end of the kselftests (status $status); last lines of its console:"
		tail -n 15 "$VM_CONSOLE" | sed 's/^/  | /' >&2
		return 1
	fi
	programs=$(wc -l <"$KSELFTEST/kselftest-list.txt")
	passed=$(grep -c '^ok ' "$ktap" || :)
	failed=$(grep -c '^not ok ' "$ktap" || :)
	skipped=$(grep -cE '^(# )+ok .*# SKIP' "$ktap" || :)

	if ((passed + failed != programs)); then
		say "$programs programs are listed, but $((passed + failed)) reported a result: $ktap"
		return 1
	fi
	if ((failed)); then
		say "these kselftests failed (all of it: $ktap):"
		grep -E '^(# )*not ok |^# # .*(Expected|Assert)' "$ktap" | head -n 40 | sed 's/^/  | /' >&2
		return 1
	fi
	if grep -nE "$KERNEL_REPORTS" "$dmesg" >&2; then
		say "the kernel reported the above (all of it: $dmesg)"
		return 1
	fi
	say "$name: $programs programs, $(grep -cE '^(# )+ok ' "$ktap") cases passed or skipped, $skipped skipped, no kernel report"
	TESTS_PASSED=$((${TESTS_PASSED:-0} + programs))
}

# What KASAN, lockdep, RCU, the atomic-sleep check, UBSAN, debugobjects, the
# reference trackers and the hung-task check print, and every WARN and BUG.
KERNEL_REPORTS='BUG:|WARNING:|KASAN|UBSAN|INFO: possible|INFO: task .* blocked|possible circular|suspicious RCU|rcu:.*(stall|detected)|sleeping function|ODEBUG|unregister_netdevice: waiting|Oops|general protection|refcount_t|kernel BUG|leaked reference|inconsistent lock state'
