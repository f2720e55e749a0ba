#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules kernel vm selftests tools kunit export netlink checks package install dkms-test arm64-test image image-test; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab test [all | SUITE…]
	       ./lab test --base 7.3 [SUITE…]

	Without an argument, runs the suite "stock", the tests for each commit: the patches
	apply, the modules build without a warning (W=1), and the kselftests pass in the
	virtual machine on the distribution's kernel.

	With "all", runs every suite that is not marked with *; with names, runs these:

	  stock     kselftests with our modules on Debian's 6.12 kernel; the only suite
	            with the tests of the tool cangw
	  baseline  kselftests with the distribution's own modules; cases that need the
	            patches are skipped. With "all" and without BASELINE_ALL=1 in the
	            environment, another third of them for each commit
	  sim       kselftests on simulated buses, in a virtual machine whose clock counts
	            instructions. With "all" and without SIM_ALL=1 in the environment, another
	            half of them for each commit
	  sim-baseline*, sim-rt*, sim-debug*
	            the same with the modules or the kernel of baseline, rt or debug
	  sim-slow* kselftests on simulated buses on the debug kernel, in real time: busy
	            buses are 20 times slower; one controller of each kind, without
	            sim_errors, sim_load and sim_variants
	  debug-rt* the same on this kernel with PREEMPT_RT
	  load      every module of the set loads, and no CAN module of the distribution
	            is used besides ours
	  papers    the experiments of the papers, a few frames of each kind (lab papers)
	  rt        kselftests on Debian's 6.12 PREEMPT_RT kernel, of those on simulated
	            buses sim_direct, sim_flood, sim_readers, sim_share, sim_sharer and
	            sim_thread. With "all" and without RT_ALL=1 in the environment, another
	            third of the others for each commit
	  debug     kselftests on our kernel with KASAN, lockdep, RCU and atomic-sleep
	            debugging, whose reports fail the suite, and those of sim-slow. Without
	            DEBUG_ALL=1 in the environment, tests of what a gateway rule does to a
	            frame are left to KUnit, which tests the same code, and each commit runs
	            another ninth of sim-slow, and with "all" another third of the rest
	  leaks*    kselftests of gateway rules, with the fuzzer, on the debug kernel with
	            kmemleak
	  harmless* kselftests on a system with buses, a card, rules, interfaces and
	            settings in use, which have to be unchanged afterwards. Without
	            HARMLESS_ALL=1 in the environment, only some cases of long programs
	  tools     the programs in tools/can build without a warning, install, and pass
	            their tests; those that need CAN interfaces run in the virtual machine.
	            With "all" and without TOOLS_ALL=1 in the environment, another half of
	            these for each commit
	  bench     a short benchmark, whose figures have to repeat
	  commits   the CAN code builds after every commit of the series; with "all" and
	            without COMMITS_ALL=1 in the environment, of another third of it for
	            each commit of this repository. One topic builds
	            with its kselftests on the topics that it needs; each commit of this
	            repository selects another one. TOPICS="TOPIC…" in the environment
	            selects topics, TOPICS=all all of them, and runs their kselftests
	  static    git am of the exported series, checkpatch, sparse, shellcheck, ruff,
	            licences, kernel-doc, documentation
	  images*   disk images of Debian 13 and 12 with the packages, which are booted,
	            rebooted with another kernel, and rebooted after the packages are purged
	  packages* ./lab package and ./lab install in a chroot of Debian 12 and of Debian 13:
	            installation, upgrade and removal, kernels that are refused, builds that
	            fail, interruptions, Secure Boot in QEMU; cross-builds for arm64. All
	            modules are loaded, and some kselftests run, on the distribution's
	            arm64 kernel in QEMU's emulation.
	            PACKAGES_ON="bookworm trixie arm64" in the environment selects some;
	            arm64-trixie is arm64 of that Debian instead of the host's
	  kunit     KUnit suites in user-mode Linux with KASAN, UBSAN, lockdep and failing
	            allocations; any report of these fails the suite

	Each suite has a time budget. A suite that exceeds it is reported but does not
	fail, because wall-clock time says nothing about the code.

	LAB_MINUTES=N in the environment is for machines with a limit, such as a CI, and for
	"all". If this machine needs more than its budget for "stock", the parts above are
	smaller in proportion, and a suite that would not end within N minutes is left out.
	Each commit begins with another suite, after stock, static, load and papers. The last line
	says how many were left out.

	In the environment, CAN_FUZZ_MESSAGES, CAN_FUZZ_SECONDS, CAN_CHURN_FRAMES,
	CAN_GW_ROUNDS, CAN_GW_RULES and SIM_FRAMES make some tests longer. CAN_FUZZ_SEED
	repeats a run of the fuzzer. SIM_SLOWDOWN makes busy simulated buses slower, for a CPU
	that is too slow for them.

	Logs are in build/log/, results of the kselftests in build/log/kselftest/.
	END
}

# Budgets in minutes on two cores, including builds (for debug, eight minutes for a
# kernel). CI has 90 minutes for all suites, and its machine is at times half as fast.
declare -A BUDGET=(
	[stock]=7 [papers]=6 [baseline]=6 [load]=1 [harmless]=4 [rt]=9 [debug]=20 [tools]=9 [bench]=3 [commits]=4 [static]=5 [kunit]=8
	[sim]=10 [sim-baseline]=10 [sim-rt]=15 [sim-debug]=60 [sim-slow]=12 [debug-rt]=60 [leaks]=20 [packages]=50 [images]=40
)
ALL=(stock sim baseline load papers rt debug tools bench commits static kunit)
# Those that a machine that is too slow for LAB_MINUTES may leave out: each commit begins with
# another one. There are eight of them, see part_number(). Those of which it tests a smaller part.
OTHERS=(sim baseline rt debug tools bench commits kunit)
declare -A IN_PARTS=([sim]=1 [baseline]=1 [rt]=1 [debug]=1 [tools]=1 [commits]=1)

# Suites for another base than 6.12
OTHER_BASE=(stock sim load rt sim-rt kunit)

# only_a_part SUITE: "lab test all" without SUITE_ALL=1 in the environment
only_a_part() {
	local all=$1_ALL
	[[ ${LAB_ALL:-} && ! ${!all:-} ]]
}

# suite_selftests NAME FLAVOUR KIND PROGRAMS: in two virtual machines with one CPU each
suite_selftests() {
	prepare_selftests "$2" "$3"
	run_selftests "$1" "$4" 2
}

# prepare_selftests FLAVOUR KIND: do not call it in a condition, where bash ignores errors
prepare_selftests() {
	VM_FLAVOUR=$1 VM_KIND=$2 VM_CPUS=1 VM_CAN=0,1,0,1 VM_TIMEOUT=${VM_TIMEOUT:-2400}
	vm_prepare
	need_selftests
}

suite_stock() { suite_selftests stock stock patched own; }
suite_baseline() {
	local part=kernel
	! only_a_part BASELINE || part=some-kernel
	suite_selftests baseline stock baseline $part
}
suite_sim() {
	local part=sim
	! only_a_part SIM || part=some-sim
	suite_selftests sim stock patched $part
}
suite_sim-baseline() { suite_selftests sim-baseline stock baseline sim; }
suite_sim-rt() { suite_selftests sim-rt rt patched sim; }
# KASAN and lockdep take several times as many instructions, which the clock counts
suite_sim-debug() {
	VM_TIMEOUT=9000
	suite_selftests sim-debug debug patched sim
}
# In real time, on busy buses that are slow enough for this kernel
suite_sim-slow() { suite_selftests sim-slow debug patched slow; }
suite_debug-rt() {
	VM_TIMEOUT=18000
	suite_selftests debug-rt debug-rt patched slow
}
# An MCP2515 at the full rate is too much for this kernel.
suite_leaks() {
	VM_LEAKS=yes
	export SIM_SLOWDOWN=${SIM_SLOWDOWN:-20}
	suite_selftests leaks debug patched leaks
}
suite_rt() { both_ways rt; }
suite_debug() { both_ways debug; }

# On PREEMPT_RT and on the debug kernel, tests with several threads run on two CPUs.
both_ways() {
	local status=0 alone=checked threads=threads
	if [[ $1 == rt ]]; then
		alone=contexts
		! only_a_part RT || alone=some-contexts threads=some-threads
	elif [[ ${DEBUG_ALL:-} ]]; then
		alone=alone
	elif only_a_part DEBUG; then
		alone=some-checked threads=some-threads
	fi
	prepare_selftests "$1" patched
	run_selftests "$1" $alone 2 || status=1
	VM_CPUS=2
	run_selftests "$1-smp" $threads 1 || status=1
	VM_CPUS=1
	[[ $1 != rt ]] || run_selftests rt-sim realtime 2 || status=1
	[[ $1 != debug ]] || some_slow || status=1
	return $status
}

# A part of the suite sim-slow, with its list of skips
some_slow() {
	local part=some-slow
	[[ ! ${DEBUG_ALL:-} ]] || part=slow
	VM_CPUS=1
	run_selftests sim-slow "$part" 2
}

suite_harmless() {
	VM_FLAVOUR=stock VM_KIND=patched VM_CPUS=1 VM_CAN=0,1,0,1 VM_TIMEOUT=2400
	[[ ! ${HARMLESS_ALL:-} ]] || VM_TIMEOUT=7200
	vm_prepare
	need_selftests
	run_harmless
}

suite_tools() {
	local part=all
	! only_a_part TOOLS || part=some
	VM_FLAVOUR=stock VM_KIND=patched VM_CPUS=1 VM_CAN=none VM_TIMEOUT=2700
	vm_prepare
	need_can_tools
	need_packages "${TOOLS_CHECK_PACKAGES[@]}"
	check "tests that need no interface" check_can_tools
	check "install the measuring programs" check_can_tools_install
	((${#CHECKS_FAILED[@]} == 0)) || die "these checks failed: ${CHECKS_FAILED[*]}"
	step "collect the tests of the measuring programs" collect_tool_tests
	KSELFTEST=$TOOLS_COLLECTION
	run_selftests tools $part 2
}

suite_bench() {
	bash "$LAB_ROOT/scripts/cmd/bench.sh" sja1000-rx
	TESTS_PASSED=$((TESTS_PASSED + 1))
}

suite_papers() {
	bash "$LAB_ROOT/scripts/cmd/papers.sh" --smoke
	TESTS_PASSED=$((TESTS_PASSED + 1))
}

suite_load() {
	VM_FLAVOUR=stock VM_KIND=patched VM_CAN=0,1,0,1 VM_TIMEOUT=500
	vm_prepare
	vm_run "$LAB_ROOT/scripts/guest/load"
	TESTS_PASSED=$((TESTS_PASSED + 1))
}

suite_commits() {
	local every topic status=0 run=yes number
	number=$(part_number)
	TESTS_CASES=$(series | wc -l)
	if only_a_part COMMITS; then
		export TREE_PARTS=$((3 * LAB_SLOW)) TREE_PART=$((number % (3 * LAB_SLOW)))
		TESTS_CASES=$((TESTS_CASES / TREE_PARTS))
	fi
	bash "$LAB_ROOT/scripts/cmd/tree.sh" --check >/dev/null
	TESTS_PASSED=$((TESTS_PASSED + 1))
	mapfile -t every < <(topics)
	if [[ ! ${TOPICS:-} ]]; then
		# another one for each commit
		run=
		TOPICS=${every[number % ${#every[@]}]}
	elif [[ $TOPICS == all ]]; then
		TOPICS=${every[*]}
	fi
	for topic in $TOPICS; do
		# in a process of its own, because bash ignores errors in a condition
		LAB_SUITE=topic LAB_TOPIC=$topic LAB_TOPIC_RUN=$run bash "${BASH_SOURCE[0]}" || status=1
		TESTS_CASES=$((TESTS_CASES + 1))
	done
	return $status
}

# LAB_TOPIC builds on the topics that it needs. With LAB_TOPIC_RUN, its kselftests pass there.
suite_topic() {
	VM_FLAVOUR=stock VM_KIND=patched VM_CPUS=1 VM_CAN=0,1,0,1 VM_TIMEOUT=2400
	[[ ! $(topic_field "$LAB_TOPIC" Baseline) ]] || VM_KIND=baseline
	lock_build
	need_basics
	need_tree
	need_topic "$LAB_TOPIC"
	need_topic_boot "$LAB_TOPIC"
	if [[ ! $(topic_programs "$LAB_TOPIC") ]]; then
		say "$LAB_TOPIC brings no kselftests"
		return
	fi
	need_topic_selftests "$LAB_TOPIC"
	[[ ! ${LAB_TOPIC_RUN:-} ]] || run_selftests "topic-$LAB_TOPIC" topic 2
}

suite_static() {
	lock_build
	need_basics
	need_tree
	need_kernel stock
	need_packages "${LAB_CHECK_PACKAGES[@]}"
	need_venv requirements-checks.txt
	static_checks
}

suite_images() {
	local suite status=0
	bash "$LAB_ROOT/scripts/cmd/package.sh" >/dev/null
	lock_build
	need_packages "${IMAGE_PACKAGES[@]}"
	for suite in ${IMAGES_OF:-trixie bookworm}; do
		test_image "$suite" || status=1
	done
	return $status
}

suite_packages() {
	lock_build
	# shellcheck disable=SC2086 # words
	test_packages ${PACKAGES_ON:-bookworm trixie arm64}
}

suite_kunit() {
	lock_build
	need_basics
	need_tree
	kunit_suites
}

# "lab test all" does not repeat the suite stock if "lab test" has passed with the same tree,
# kernel and scripts.
stock_state() {
	printf '%s %s %s' "$(content_hash lab scripts patches "${MIRRORED[@]}")" \
		"$(cat "$BUILD/tree.source" 2>/dev/null)" "$(cat "$DIST/stock/release" 2>/dev/null)"
}

suites=()
all=
while (($#)); do
	case $1 in
	-h | --help)
		usage
		exit 0
		;;
	all) suites=("${ALL[@]}") all=yes && export LAB_ALL=yes ;;
	*)
		[[ ${BUDGET[$1]:-} ]] || die "there is no suite \"$1\" (see ./lab test --help)"
		suites+=("$1")
		;;
	esac
	shift
done
((${#suites[@]})) || suites=(stock)

# Each suite is a process of its own, so that its variables do not leak into another one,
# and the others run even if it fails.
if [[ ${LAB_SUITE:-} ]]; then
	TESTS_PASSED=0 TESTS_CASES=0
	"suite_$LAB_SUITE"
	echo "$TESTS_PASSED $((TESTS_CASES > 0 ? TESTS_CASES : TESTS_PASSED))" >"$LOG/suite-$LAB_SUITE.passed"
	exit
fi

if [[ $LAB_BASE != 6.12 ]]; then
	for suite in "${suites[@]}"; do
		[[ " ${OTHER_BASE[*]} " == *" $suite "* ]] ||
			die "--base $LAB_BASE knows only these suites so far: ${OTHER_BASE[*]}"
	done
fi

# report_line SUITE VERDICT CASES SECONDS BUDGET
report_line() {
	local over=
	(($4 > $5 * 60)) && over=', over budget'
	printf '%-12s %-7s %5s cases  %3d:%02d of %2d min%s' "$1" "$2" "$3" $(($4 / 60)) $(($4 % 60)) "$5" "$over"
}

# take_result SUITE: add the result of a suite that passed to the sums; sets CASES
take_result() {
	local programs
	read -r programs CASES <"$LOG/suite-$1.passed"
	passed=$((passed + programs))
	cases=$((cases + CASES))
}

# run_suite NAME: what it says goes to build/log/suite-NAME.said, too
run_suite() {
	{ LAB_SUITE=$1 bash "${BASH_SOURCE[0]}" 2>&1 >&3 | tee "$LOG/suite-$1.said" >&2; } 3>&1
}

# pace: the time that this machine needs, in percent of the budget; of "stock", which is first
pace() {
	local percent=100
	if [[ -f $LOG/stock.seconds ]]; then
		percent=$(($(<"$LOG/stock.seconds") * 100 / (BUDGET[stock] * 60)))
	fi
	echo $((percent > 100 ? percent : 100))
}

# seconds_for SUITE PACE: a part that is smaller in proportion takes the budget; one half of
# that time is for builds, which are not smaller
seconds_for() {
	local percent=$2
	[[ ! ${IN_PARTS[$1]:-} ]] || percent=$(((percent + percent / LAB_SLOW) / 2))
	echo $((BUDGET[$1] * 60 * percent / 100))
}

export LAB_SLOW=1
if [[ $all && ${LAB_MINUTES:-} ]]; then
	[[ $LAB_MINUTES =~ ^[0-9]+$ ]] || die "LAB_MINUTES is a number of minutes, not \"$LAB_MINUTES\""
	LAB_MINUTES=$((10#$LAB_MINUTES))
	turn=$(($(commit_number) % ${#OTHERS[@]}))
	others=()
	for suite in "${suites[@]}"; do
		[[ " ${ALL[*]} " == *" $suite "* ]] || others+=("$suite")
	done
	suites=(stock static load papers "${OTHERS[@]:turn}" "${OTHERS[@]:0:turn}" "${others[@]}")
fi

passed=0
cases=0
failed=()
left_out=()
report=()
budget=0
begin=$SECONDS
for suite in "${suites[@]}"; do
	if [[ $all && $suite == stock ]] && stamp_fresh "$LOG/stock.state" "$(stock_state)"; then
		report+=("$(<"$LOG/stock.report"), in \"lab test\" before, on this very state")
		take_result stock
		continue
	fi
	if [[ $all && ${LAB_MINUTES:-} && " ${OTHERS[*]} " == *" $suite "* ]]; then
		pace=$(pace)
		LAB_SLOW=$(((pace + 50) / 100))
		if ((SECONDS - begin + $(seconds_for "$suite" "$pace") > LAB_MINUTES * 60)); then
			left_out+=("$suite")
			report+=("$(printf '%-12s left out: this machine needs %d %% of the budget, and has %d minutes in all' \
				"$suite" "$pace" "$LAB_MINUTES")")
			continue
		fi
	fi
	say "--- $suite (budget ${BUDGET[$suite]} min)"
	start=$SECONDS
	rm -f "$LOG/suite-$suite.passed"
	[[ $suite == stock ]] && rm -f "$LOG/stock.state"
	verdict=passed CASES=-
	if ! run_suite "$suite"; then
		verdict=FAILED
		failed+=("$suite")
	elif [[ -f $LOG/suite-$suite.passed ]]; then
		take_result "$suite"
	fi
	budget=$((budget + BUDGET[$suite]))
	report+=("$(report_line "$suite" "$verdict" "$CASES" $((SECONDS - start)) "${BUDGET[$suite]}")")
	if [[ $suite == stock && $verdict == passed ]]; then
		printf '%s' "${report[-1]}" >"$LOG/stock.report"
		echo $((SECONDS - start)) >"$LOG/stock.seconds"
		stamp_write "$LOG/stock.state" "$(stock_state)"
	fi
done
if ((${#suites[@]} > 1)); then
	report+=("$(report_line total '' $cases $((SECONDS - begin)) $budget)")
fi

say "---"
for line in "${report[@]}"; do
	say "$line"
done
# who reads only the end of a log, as many a CI shows, finds the cause
if ((${#suites[@]} > 1)); then
	for suite in "${failed[@]}"; do
		say "--- how $suite failed (all that it said: $LOG/suite-$suite.said):"
		grep -vE '^lab: .* … done \([0-9]+s\)$' "$LOG/suite-$suite.said" | tail -n 40 >&2
	done
fi
if ((${#left_out[@]} == ${#OTHERS[@]})); then
	say "LAB_MINUTES=$LAB_MINUTES leaves no time for any of: ${left_out[*]}"
	failed+=("all but the first suites")
fi
out=
((${#left_out[@]} == 0)) || out=", ${#left_out[@]} suites left out"
printf '%d passed, %d failed%s\n' "$passed" "${#failed[@]}" "$out"
((${#failed[@]} == 0))
