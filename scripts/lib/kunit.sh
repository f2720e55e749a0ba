# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The KUnit suites: every .kunitconfig (or *.kunitconfig) among our new files goes into one kernel
# for user-mode Linux. The suites are modules there, which scripts/guest/kunit loads:
# some need settings that only user space can make.

KUNIT=$BUILD/kunit
KUNIT_RESULTS=$KUNIT/results
KUNIT_LOG=$LOG/kunit.run.log
KUNIT_TIMEOUT=900

# What user-mode Linux has by default and no CAN test needs.
KUNIT_WITHOUT=(HID HWMON ETHERNET WLAN WIRELESS IPV6 ETHTOOL_NETLINK)

# What loading modules, and a root directory on the host, need.
KUNIT_WITH=(MODULES MODULE_UNLOAD HOSTFS BINFMT_ELF BINFMT_SCRIPT)

# Other architectures double their stacks for KASAN, user-mode Linux does not. Its interrupt
# stack of 16 KiB also holds floating-point registers, of the task and of each signal that
# interrupts another, 2.7 KB each with AVX-512: softirqs under KASAN overflowed it.
KUNIT_STACK_ORDER=3

kunit_configs() {
	new_files "${MIRRORED[@]}" | grep '[/.]kunitconfig$' | in_tree || :
}

# kunit_config_lines: all of them together, with the suites as modules
kunit_config_lines() {
	local file
	while IFS= read -r file; do
		sed 's/^\(CONFIG_.*_KUNIT_TEST\)=y$/\1=m/' "$LAB_ROOT/$file"
	done < <(kunit_configs)
}

# kunit_modules: the names of the suites' modules, as lines
kunit_modules() {
	find "$KUNIT/net" "$KUNIT/drivers" -name '*[-_]test.ko' -path '*/net/can/*' -printf '%f\n' |
		sed 's/\.ko$//' | sort
}

# kunit_suite_names: of all suites in our sources, as lines
kunit_suite_names() {
	local file
	while IFS= read -r file; do
		awk '/^static struct kunit_suite / { inside = 1 }
			inside && /\.name = / { split($0, part, "\""); print part[2]; inside = 0 }' "$LAB_ROOT/$file"
	done < <(new_files "${MIRRORED[@]}" | grep '_test\.c$' | in_tree) | sort
}

# Cases that are skipped, and why: of each class of filters, not all have a table.
KUNIT_SKIPS='# SKIP single standard identifiers have no table$'

# A suite that no .kunitconfig asks for is never run.
check_kunit_configs() {
	local file status=0
	while IFS= read -r file; do
		[[ -f $LAB_ROOT/$(dirname "$file")/.kunitconfig ]] && continue
		say "there is no .kunitconfig beside $file"
		status=1
	done < <(new_files "${MIRRORED[@]}" | grep -E '_(test|kunit)\.c$' || :)
	return $status
}

kunit_make() {
	make -C "$TREE" ARCH=um O="$KUNIT" CC="ccache gcc" HOSTCC="ccache gcc" -j "$JOBS" "$@"
}

# kunit_py COMMAND [ARGUMENT…]
kunit_py() {
	(
		cd "$TREE" || exit
		PYTHONDONTWRITEBYTECODE=1 python3 tools/testing/kunit/kunit.py "$@"
	)
}

# kunit.py knows what user-mode Linux needs, and tells of an option that cannot be had.
configure_kunit() {
	local config options=()
	for config in "${KUNIT_WITHOUT[@]}"; do
		options+=(--kconfig_add="CONFIG_$config=n")
	done
	for config in "${KUNIT_WITH[@]}"; do
		options+=(--kconfig_add="CONFIG_$config=y")
	done
	options+=(--kconfig_add="CONFIG_KERNEL_STACK_ORDER=$KUNIT_STACK_ORDER")
	# kunit.py enables a bus for drivers with memory-mapped registers; that of 6.12 warns without a number
	[[ $LAB_BASE != 6.12 ]] || options+=(--kconfig_add="CONFIG_UML_PCI_OVER_VIRTIO_DEVICE_ID=1234")
	kunit_config_lines | sort -u >"$KUNIT.config"
	kunit_py config --arch=um --build_dir="$KUNIT" --kunitconfig="$KUNIT.config" \
		--make_options CC="ccache gcc" --make_options HOSTCC="ccache gcc" "${options[@]}"
}

build_kunit() {
	local log=$LOG/kunit.compile.log
	mkdir -p "$KUNIT"
	configure_kunit || return
	kunit_make linux modules 2>&1 | tee "$log" || return
	if grep -E '(net|linux)/can/.*warning:|^WARNING: modpost' "$log"; then
		echo "the KUnit suites do not build without a warning"
		# what warned has to warn again next time
		find "$KUNIT" -path '*/net/can/*.o' -delete
		return 1
	fi
	rm -rf "$KUNIT/root"
	kunit_make INSTALL_MOD_PATH="$KUNIT/root" modules_install >>"$log"
}

# A kernel that panics, or an init that fails, must not wait for anybody.
run_kunit() {
	local log=$KUNIT_LOG status=0
	rm -rf "$KUNIT_RESULTS"
	mkdir -p "$KUNIT_RESULTS"
	kunit_modules >"$KUNIT/suites"
	timeout --foreground -k 5 "$KUNIT_TIMEOUT" "$KUNIT/linux" mem=1G slab_debug=F con0=fd:0,fd:1 con=null \
		root=/dev/root rootfstype=hostfs rootflags=/ ro loglevel=8 \
		init="$LAB_ROOT/scripts/guest/kunit" -- "$KUNIT" </dev/null >"$log" 2>&1 || status=$?
	if [[ ! -e $KUNIT_RESULTS/complete ]] || ((status)); then
		tail -n 30 "$log"
		echo "user-mode Linux did not come to the end of the suites (status $status)"
		return 1
	fi
}

# A run counts only if every suite of the sources was run and passed, nothing was skipped but
# KUNIT_SKIPS, and the kernel reported nothing.
judge_kunit() {
	local log=$KUNIT_LOG bad=0 file summary passed=0 suites=0
	if ! diff <(kunit_suite_names) <(find "$KUNIT_RESULTS" -name '*.ktap' -printf '%f\n' |
		sed 's/^[^.]*\.\(.*\)\.ktap$/\1/' | sort) >&2; then
		say "not all suites of the sources (<) were run (>)"
		bad=1
	fi
	if cat "$KUNIT_RESULTS"/*.failed >&2 2>/dev/null; then
		bad=1
	fi
	for file in "$KUNIT_RESULTS"/*.ktap; do
		suites=$((suites + 1))
		summary=
		if kunit_py parse "$file" >"${file%.ktap}.log"; then
			summary=$(sed -n 's/^.*passed: \([0-9]*\).*$/\1/p' "${file%.ktap}.log")
		fi
		if [[ ! $summary ]]; then
			say "this suite failed: $file"
			bad=1
		fi
		passed=$((passed + ${summary:-0}))
	done
	if grep '# SKIP' "$KUNIT_RESULTS"/*.ktap | grep -vE "$KUNIT_SKIPS" >&2; then
		say "the above was skipped"
		bad=1
	fi
	if grep -nE "$KERNEL_REPORTS" "$log" >&2; then
		say "the kernel reported the above (all of it: $log)"
		bad=1
	fi
	((!bad)) || return 1
	say "$suites KUnit suites: $passed cases passed; no kernel report"
	TESTS_PASSED=$((${TESTS_PASSED:-0} + passed))
}

# write_proof_results DIR: what two suites that pass leave
write_proof_results() {
	local suite
	for suite in one two; do
		printf '%s\n' 'KTAP version 1' '1..1' '    KTAP version 1' "    # Subtest: $suite" \
			'    1..2' '    ok 1 first' '    ok 2 second' "ok 1 $suite"
	done | split -l 8 --additional-suffix=.ktap - "$1/part"
	mv "$1/partaa.ktap" "$1/some-test.one.ktap"
	mv "$1/partab.ktap" "$1/some-test.two.ktap"
	echo 'Linux version 6.12' >"$1.log"
}

# judge_proof BAD COMMAND…: results that COMMAND, in their directory, has changed are judged
# to be BAD (1) or good (0)
judge_proof() {
	local bad=$1 KUNIT_RESULTS KUNIT_LOG TESTS_PASSED=0 status=0
	shift
	KUNIT_RESULTS=$(mktemp -d "$BUILD/kunit-proof.XXXXXX")
	KUNIT_LOG=$KUNIT_RESULTS.log
	write_proof_results "$KUNIT_RESULTS"
	(cd "$KUNIT_RESULTS" && "$@") || return
	judge_kunit || status=1
	rm -r "$KUNIT_RESULTS" "$KUNIT_LOG"
	((status == bad)) || {
		echo "a run after \"$*\" is judged $status instead of $bad"
		return 1
	}
	((bad || TESTS_PASSED == 4))
}

write_report() {
	echo 'BUG: KASAN: use-after-free in f' >>"$KUNIT_LOG"
}

# prove_kunit: test that a run fails without a suite, a case or a module, for a failure, for a
# skip that is not listed, and for a report of the kernel
prove_kunit() (
	# shellcheck disable=SC2317 # judge_kunit calls it
	kunit_suite_names() { printf 'one\ntwo\n'; }
	KUNIT_SKIPS='# SKIP listed$'
	judge_proof 0 true &&
		judge_proof 1 rm some-test.two.ktap &&
		judge_proof 1 cp some-test.two.ktap some-test.three.ktap &&
		judge_proof 1 truncate -s 0 some-test.one.ktap &&
		judge_proof 1 sed -i 's/^    ok 2/    not ok 2/; s/^ok/not ok/' some-test.one.ktap &&
		judge_proof 1 sed -i '/ok 2 second/d' some-test.one.ktap &&
		judge_proof 1 sed -i 's/ok 2 second/& # SKIP another/' some-test.one.ktap &&
		judge_proof 1 sh -c 'echo "cannot load some-test" >some-test.failed' &&
		judge_proof 1 write_report
)

kunit_suites() {
	check_kunit_configs || die "these suites would not be run"
	step "build the KUnit kernel and the suites" build_kunit
	step "run the KUnit suites" run_kunit
	judge_kunit
}
