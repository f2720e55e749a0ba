# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# KUnit suites: the kernel's kunit.py builds and runs one kernel for user-mode
# Linux, with every .kunitconfig among our new files.

KUNIT=$BUILD/kunit
KUNIT_TIMEOUT=900

# Options that user-mode Linux has by default and no CAN test needs
KUNIT_WITHOUT=(HID HWMON ETHERNET WLAN WIRELESS IPV6 ETHTOOL_NETLINK)

kunit_configs() {
	new_files "${MIRRORED[@]}" | grep '/\.kunitconfig$' || :
}

# A suite without a .kunitconfig would never run.
check_kunit_configs() {
	local file status=0
	while IFS= read -r file; do
		[[ -f $LAB_ROOT/$(dirname "$file")/.kunitconfig ]] && continue
		say "there is no .kunitconfig beside $file"
		status=1
	done < <(new_files "${MIRRORED[@]}" | grep -E '_(test|kunit)\.c$' || :)
	return $status
}

# kunit_py COMMAND [ARGUMENT…]
kunit_py() {
	local command=$1 config options=(--arch=um --build_dir="$KUNIT")
	shift
	while IFS= read -r config; do
		options+=(--kunitconfig="$LAB_ROOT/$config")
	done < <(kunit_configs)
	for config in "${KUNIT_WITHOUT[@]}"; do
		options+=(--kconfig_add="CONFIG_$config=n")
	done
	cd "$TREE" || return
	PYTHONDONTWRITEBYTECODE=1 python3 tools/testing/kunit/kunit.py "$command" "${options[@]}" "$@"
}

build_kunit() {
	local log=$LOG/kunit.compile.log
	mkdir -p "$KUNIT"
	kunit_py build --jobs "$JOBS" --make_options CC="ccache gcc" --make_options HOSTCC="ccache gcc" 2>&1 |
		tee "$log" || return
	if grep -E '(net|linux)/can/.*warning:' "$log"; then
		echo "the KUnit suites do not build without a warning"
		# compile again next time, to repeat the warning
		find "$KUNIT" -path '*/net/can/*.o' -delete
		return 1
	fi
}

# A run passes if every suite passed, none skipped all of its cases, and the kernel
# reported nothing. The KTAP output is in build/kunit/test.log.
judge_kunit() {
	local log=$LOG/kunit.run.log ktap=$KUNIT/test.log suites passed summary
	summary=$(sed -n 's/^.*Testing complete\. //p' "$log")
	passed=$(sed -n 's/^.*passed: \([0-9]*\).*$/\1/p' <<<"$summary")
	suites=$(grep -cE '^ok [0-9]+ ' "$ktap" || :)
	if grep -E '^not ok |^ok .*# SKIP' "$ktap" >&2 || ((suites < $(kunit_configs | wc -l) || !passed)); then
		say "suites failed, skipped everything, or are missing (${summary:-no result}): $ktap"
		return 1
	fi
	if grep -nE "$KERNEL_REPORTS" "$ktap" >&2; then
		say "the kernel reported the above (all of it: $ktap)"
		return 1
	fi
	say "$suites KUnit suites: ${summary,}; no kernel report"
	TESTS_PASSED=$((${TESTS_PASSED:-0} + passed))
}

run_kunit() {
	kunit_py exec --timeout "$KUNIT_TIMEOUT" 2>&1 | tee "$LOG/kunit.run.log"
}

kunit_suites() {
	check_kunit_configs || die "these suites would not be run"
	step "build the KUnit kernel" build_kunit
	step "run the KUnit suites" run_kunit
	judge_kunit
}
