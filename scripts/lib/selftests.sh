# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kselftests are built and installed from the patched tree with the kernel's own
# makefiles, against the uapi headers of the patched tree (those of the host are
# older). The kernel's own runner runs them in the virtual machine.

HEADERS=$BUILD/headers
KSELFTEST=$BUILD/kselftest
TEST_LOGS=$BUILD/log/kselftest
EXPECTED_SKIPS=$LAB_ROOT/scripts/expected-skips

export_headers() {
	make -C "$TREE" O="$HEADERS" -j "$JOBS" headers
}

install_selftests() {
	local log=$LOG/selftests.compile.log
	rm -rf "$KSELFTEST"
	# make takes that of another commit, which may lack a family or have no headers in the tree
	rm -f "$TREE/tools/net/ynl/libynl.a" "$KSELFTEST.build/kselftest/net/can/libynl.a"
	make -C "$TREE/tools/testing/selftests" TARGETS=net/can CC="ccache gcc" O="$KSELFTEST.build" \
		KHDR_INCLUDES="-isystem $HEADERS/usr/include" \
		KSFT_INSTALL_PATH="$KSELFTEST" install 2>&1 | tee "$log"
	if grep -E '(warning|error):' "$log"; then
		echo "the kselftests do not build without a warning"
		return 1
	fi
	# the runner treats a missing list as an empty one
	[[ -s $KSELFTEST/kselftest-list.txt ]]
}

# need_topic_selftests TOPIC: build the kselftests from the tree of a topic
need_topic_selftests() {
	need_selftests
	KSELFTEST=$BUILD/kselftest-topic
	TREE=$TOPIC_TREE tree_git checkout -q -f --detach "topics/$1"
	topic_headers "$HEADERS" "$HEADERS-topic"
	TREE=$TOPIC_TREE HEADERS=$HEADERS-topic step "build the kselftests of $1" install_selftests
	if topic_programs "$1" | grep -vxf <(kselftest_list; library_sources); then
		die "$1 brings these sources, and its Makefile does not make programs of them"
	fi
}

# topic_headers FROM TO: copy headers, without those of CAN that TOPIC_TREE does not have
topic_headers() {
	local file
	rm -rf "$2"
	cp -al "$1" "$2"
	for file in "$2"/usr/include/linux/can/*.h; do
		[[ -f $TOPIC_TREE/include/uapi/linux/can/${file##*/} ]] || rm "$file"
	done
}

# library_sources: sources that are linked into all programs, and files without a program,
# as lines of a list
library_sources() {
	sed -n 's|^LIBRARY += \(.*\)\.c$|net/can:\1|p; s|^TEST_FILES += \(.*\)|net/can:\1|p' \
		"$TOPIC_TREE/tools/testing/selftests/net/can/Makefile"
}

need_selftests() {
	local key
	need_tree
	key=$(tree_key include/uapi arch/x86/include/uapi tools/testing/selftests \
		tools/net/ynl Documentation/netlink/specs)
	stamp_fresh "$KSELFTEST.stamp" "$key" && return
	rm -f "$KSELFTEST.stamp"
	step "export the uapi headers" export_headers
	step "build the kselftests" install_selftests
	stamp_write "$KSELFTEST.stamp" "$key"
}

# Selections of programs:
#
#	all		all programs
#	own		those that create their interfaces, or use the emulated controllers
#	sim		those on simulated buses
#	realtime	of sim, those for PREEMPT_RT
#	kernel		own, without cangw.sh, which tests output and arguments of cangw: these
#			do not depend on the kernel, and gw_* programs test the same in the gateway
#	some-kernel	of kernel, another third for each commit
#	threads		of kernel, those with several threads, which need a second CPU
#	alone		of kernel, the others
#	contexts	of alone, those that depend on the context in which frames are received,
#			which are not those of what a rule does to a frame
#	checked		of alone, those for the debug kernel; KUnit suites test with the same
#			checkers what a rule does to a frame
#	some-checked	of checked, another half for each commit
#	topic		those of the topic LAB_TOPIC
#	leaks		those of gateway rules, for kmemleak
#	outside		those that create something outside of their own network namespace, or would
#			with CAN_TEST_MACHINE=1
#
# The time of simulated buses is that of the virtual machine, whose clock counts
# instructions, so that a busy host does not make a bus late. The simulated CPU has 500
# MIPS. The debug kernel needs several times as many instructions. There the CPU has 1000
# MIPS, the maximum, busy buses are five times slower, and a tenth of the frames is sent.
SIM_ICOUNT=1
SIM_ICOUNT_DEBUG=0

kselftest_list() {
	cat "$KSELFTEST/kselftest-list.txt"
}

# concurrent_programs: a line for each, as in the list
concurrent_programs() {
	grep -lE 'pthread_create|gw_(flow_run|sender_start)' "$TREE"/tools/testing/selftests/net/can/[!s]*.c |
		sed 's|.*/\(.*\)\.c|net/can:\1|'
}

# outside_programs: a line for each, as in the list
outside_programs() {
	(
		cd "$TREE/tools/testing/selftests/net/can" || exit
		grep -lE 'sim_open|ct_own_machine|can_own_machine|elm327_open|ct_setting|CONFIGFS|configfs' \
			-- *.c *.sh | grep -vE '^(lib.sh|cantest.c|elm327.c|simbus.c)$'
	) | sed 's|^|net/can:|; s|\.c$||'
}

select_programs() {
	case $1 in
	all) kselftest_list ;;
	some) select_programs all | another_part 2 ;;
	sim) kselftest_list | grep ':sim_' ;;
	some-sim) select_programs sim | another_part 2 ;;
	# An MCP2515 recovers from bus off before a slow host has stopped it, and sim_errors counts;
	# sim_load skips where the host is too slow; sim_variants takes longest.
	slow) select_programs sim | grep -vE ':sim_(errors|load|variants)$' ;;
	some-slow) select_programs slow | another_part 9 ;;
	some-kernel) select_programs kernel | another_part 3 ;;
	realtime) select_programs sim | grep -E ':sim_(direct|flood|readers|share|sharer|thread)$' ;;
	own) kselftest_list | grep -v ':sim_' ;;
	kernel) select_programs own | grep -v ':cangw.sh' ;;
	threads) select_programs kernel | grep -xf <(concurrent_programs) ;;
	some-contexts) select_programs contexts | another_part 3 ;;
	some-threads) select_programs threads | another_part 3 ;;
	outside) kselftest_list | grep -xf <(outside_programs) ;;
	leaks) select_programs kernel | grep -E ':gw_(nl_|express|fuzz|table|churn)' ;;
	alone) select_programs kernel | grep -vxf <(concurrent_programs) ;;
	topic) topic_programs "$LAB_TOPIC" | grep -xf <(kselftest_list) ;;
	some-checked) select_programs checked | another_part 3 ;;
	checked) select_programs alone | grep -vE ':gw_(csum|filter|flags|mod)$' ;;
	contexts) select_programs alone | grep -vE ':gw_(csum|filter|flags|input|mod)$' ;;
	esac
}

# The programs that take longest, longest first. If these run first, two virtual machines
# finish at about the same time.
LONGEST=(
	can_link.sh gw_csum can_napi.sh gw_input gw_hops gw_mod cangw.sh gw_express_churn
	sim_variants sim_load sim_express sim_order sim_transfer sim_napi sim_fifo sim_link.sh sim_time sim_sockets
	canbench-load.sh canlat.sh canugw.sh canping.sh canbench.sh
)

longest_first() {
	awk -F: -v longest="${LONGEST[*]}" '
		BEGIN { for (n = split(longest, names, " "); n; n--) rank[names[n]] = n }
		{ print ($2 in rank ? rank[$2] : NR + 1000), $0 }' | sort -n | cut -d ' ' -f 2-
}

# commit_number: selects what another commit tests
commit_number() {
	git -C "$LAB_ROOT" rev-list --count HEAD
}

# part_number: as commit_number, for parts. A slow machine may run a suite only for each eighth
# commit (OTHERS of test.sh): from one to the next this grows by 11, so that it sees all parts
# if their number has no other factors than 2 and 3.
part_number() {
	local commit
	commit=$(commit_number)
	echo $((commit + 3 * (commit / 8)))
}

# another_part N: another Nth of a list of programs for each commit, less on a slow machine
# (LAB_SLOW, a factor), but one program at least
another_part() {
	longest_first | awk -v parts=$(($1 * ${LAB_SLOW:-1})) -v commit="$(part_number)" '
		{ line[NR] = $0 }
		END {
			if (parts > NR)
				parts = NR
			for (i = 1; i <= NR; i++)
				if (i % parts == commit % parts)
					print line[i]
		}'
}

# run_machine NAME NUMBER PROGRAM…
run_machine() {
	local name=$1 number=$2
	shift 2
	VM_CONSOLE=$TEST_LOGS/$name-$number.console
	vm_run "$LAB_ROOT/scripts/guest/kselftest" "$KSELFTEST" "$TEST_LOGS/$name.queue" \
		"$TEST_LOGS/$name-$number" "$@"
}

# run_harmless: run the programs that act outside of their network namespace on a system in
# use, which has to be unchanged afterwards
run_harmless() {
	local programs out=$TEST_LOGS/harmless status=0 selection=outside
	[[ ! ${HARMLESS_ALL:-} ]] || selection=all
	mapfile -t programs < <(select_programs $selection)
	mkdir -p "$TEST_LOGS"
	rm -f "$out".*
	VM_CONSOLE=$out.console
	vm_run "$LAB_ROOT/scripts/guest/harmless" "$KSELFTEST" "$out" "${programs[@]}" || status=$?
	if [[ ! -f $out.end ]]; then
		say "the machine did not come to its end (status $status); the end of $out.console:"
		tail -n 15 "$out.console" | sed 's/^/  | /' >&2
		return 1
	fi
	if grep -q '^not ok' "$out.ktap"; then
		say "these kselftests failed beside what others have on the machine (all of it: $out.ktap):"
		broken_promises <"$out.ktap" | head -n 60 | sed 's/^/  | /' >&2
		return 1
	fi
	((status == 0)) || return 1
	say "harmless: ${#programs[@]} programs left the machine as it was"
	TESTS_PASSED=$((${TESTS_PASSED:-0} + ${#programs[@]}))
}

# leave_out_variants VARIANTS PROGRAM…: of the programs in C, in virtual machines; kselftest passes
# them options from these variables
leave_out_variants() {
	local variants="-V ${1// / -V }" program
	shift
	for program; do
		[[ $program != *.sh ]] || continue
		program=${program#*:}
		program=KSELFTEST_${program^^}_ARGS
		declare -gx "$program=$variants"
		VM_SETTINGS+=("$program")
	done
}

# all_on_simulated_buses PROGRAM…: do all of them use simulated buses?
all_on_simulated_buses() {
	! printf '%s\n' "$@" | grep -qvE ':(sim_|gw_express_)'
}

# run_selftests NAME SELECTION MACHINES: run the programs in MACHINES virtual machines,
# which take the next program from a common queue, and judge the result. The KTAP output
# and the kernel log go to build/log/kselftest/NAME-*. Give each of two virtual machines
# one CPU: with two CPUs, which wait for each other on one CPU of the host, a virtual
# machine was four times slower.
run_selftests() {
	local name=$1 machines=$3 number programs pids=() bad=0 status
	mapfile -t programs < <(select_programs "$2" | longest_first)
	((${#programs[@]})) || die "$name: there are no programs to run"
	if [[ $2 == *slow ]]; then
		VM_CAN=none
		local -x SIM_SLOWDOWN=${SIM_SLOWDOWN:-20}
		# they have the drivers of other variants; sim_qdisc compares queues, which takes long
		leave_out_variants 'mpc5121 mcp2510 queue_of_10 queue_of_1000 can_prio' "${programs[@]}"
	elif [[ $2 == sim ]] || all_on_simulated_buses "${programs[@]}"; then
		VM_ICOUNT=$SIM_ICOUNT VM_SPIN=yes VM_CAN=none
		local -x SIM_CLOCK_COUNTS=1
	fi
	if [[ $2 == sim && $VM_FLAVOUR == debug ]]; then
		VM_ICOUNT=$SIM_ICOUNT_DEBUG
		local -x SIM_SLOWDOWN=${SIM_SLOWDOWN:-5} SIM_FRAMES=${SIM_FRAMES:-10000}
	fi
	rm -rf "$TEST_LOGS/$name.queue" "$TEST_LOGS/$name"-[0-9].*
	mkdir -p "$TEST_LOGS/$name.queue"
	kvm_works || :
	unlock_build
	for ((number = 1; number <= machines; number++)); do
		run_machine "$name" $number "${programs[@]}" &
		pids+=($!)
	done
	for ((number = 1; number <= machines; number++)); do
		status=0
		wait "${pids[number - 1]}" || status=$?
		judge_machine "$name-$number" "$status" || bad=1
	done
	judge_programs "$name" "${#programs[@]}" || bad=1
	return $bad
}

# judge_machine NAME STATUS: the runner has to finish, and the kernel to report nothing
judge_machine() {
	local name=$1 status=$2 log=$TEST_LOGS/$1
	if ((status != 0)) || [[ ! -f $log.end ]]; then
		say "the machine did not come to the end of the kselftests (status $status); the end of $log.console:"
		tail -n 15 "$log.console" | sed 's/^/  | /' >&2
		return 1
	fi
	if grep -nE "$KERNEL_REPORTS" "$log.dmesg" >&2; then
		say "the kernel reported the above (all of it: $log.dmesg)"
		return 1
	fi
}

# broken_promises: failures in KTAP on standard input, each with the last output before it
broken_promises() {
	awk '
		/^# # / { said[++n] = $0 }
		/^(# )?not ok / {
			for (i = n > 12 ? n - 11 : 1; i <= n; i++)
				print said[i]
			print
		}
		/^ok .*# SKIP/ { print }
		/^(# )?(not )?ok / { n = 0 }'
}

# skipped_cases: "PROGRAM<tab>CASE<tab>REASON" for each skipped case in KTAP on standard input
skipped_cases() {
	awk '
		/^# selftests: / { program = $NF; said = "" }
		/^# ok .*# SKIP/ {
			reason = test = $0
			sub(/.*# SKIP */, "", reason)
			sub(/^# ok [0-9]+ *(- )?/, "", test)
			sub(/ *# SKIP.*/, "", test)
			# a shell test prints the reason in the line before
			print program "\t" test "\t" (reason ? reason : said)
		}
		/^# (not )?ok / { said = "" }
		/^# # / { said = substr($0, 5) }'
}

# read_expected_skips NAME: entries for this run, as "LINE<tab>PROGRAM<tab>CASE<tab>REASON"
read_expected_skips() {
	local suites program case reason number=0 why='' suite list
	while read -r suites program case reason; do
		number=$((number + 1))
		case $suites in
		'') why='' ;;
		'#'*) why=yes ;;
		*)
			if [[ ! $why || ! $reason ]]; then
				say "${EXPECTED_SKIPS#"$LAB_ROOT/"}:$number: an entry has suites, a program, a case and a reason, below a comment that says why"
				return 1
			fi
			IFS=, read -ra list <<<"$suites"
			for suite in "${list[@]}"; do
				# shellcheck disable=SC2053 # a pattern
				if [[ $1 == $suite ]]; then
					printf '%s\t%s\t%s\t%s\n' $number "$program" "$case" "$reason"
					break
				fi
			done
			;;
		esac
	done <"$EXPECTED_SKIPS"
}

# judge_skips NAME RUN LOG…: fail if a case was skipped that EXPECTED_SKIPS does not list for
# this run of the programs RUN. Report entries for these programs that were not used.
judge_skips() {
	local name=$1 run=$2 skips expected line program case reason found bad=0
	local entry_program entry_case entry_reason
	local -A used=()
	shift 2
	skips=$(cat "$@" | skipped_cases)
	expected=$(read_expected_skips "$name") || return
	while IFS=$'\t' read -r program case reason; do
		[[ $program ]] || continue
		found=
		while IFS=$'\t' read -r line entry_program entry_case entry_reason; do
			# shellcheck disable=SC2053 # patterns
			if [[ $line && $program == $entry_program && $case == $entry_case &&
				$reason == $entry_reason ]]; then
				used[$line]=1 found=yes
			fi
		done <<<"$expected"
		if [[ ! $found ]]; then
			((bad)) || say "skipped, and not listed for $name in ${EXPECTED_SKIPS#"$LAB_ROOT/"}:"
			printf '  | %s  %s  # SKIP %s\n' "$program" "$case" "$reason" >&2
			bad=1
		fi
	done <<<"$skips"
	while IFS=$'\t' read -r line entry_program entry_case entry_reason; do
		[[ $line && ! ${used[$line]:-} ]] || continue
		for program in $run; do
			# shellcheck disable=SC2053 # a pattern
			if [[ $program == $entry_program ]]; then
				say "$name: nothing was skipped of ${EXPECTED_SKIPS#"$LAB_ROOT/"}:$line ($entry_program $entry_case $entry_reason)"
				break
			fi
		done
	done <<<"$expected"
	return $bad
}

# wholly_skipped NAME LOG…: programs that skipped all of their cases, except for those that an
# entry of EXPECTED_SKIPS names without a pattern; judge_skips() checks their cases
wholly_skipped() {
	local expected
	expected=$(read_expected_skips "$1" | cut -f 2 | sort -u)
	shift
	awk '
		/^# selftests: / { cases = 0 }
		/^# ok / { cases++ }
		/^ok .*# SKIP/ { sub(/ *# SKIP.*/, ""); sub(/.*: /, ""); print $0 (cases ? "" : " without a case") }
	' "$@" | grep -vxF -- "$expected"
}

# judge_programs NAME TOTAL: every program has to run and pass, and not to skip all of its
# cases, or cases that are not expected to be skipped
judge_programs() {
	local name=$1 total=$2 logs=("$TEST_LOGS/$1"-[0-9].ktap)
	local passed failed cases skipped
	passed=$(cat "${logs[@]}" | grep -cE '^ok .*[a-z]$|^ok .*# SKIP' || :)
	failed=$(cat "${logs[@]}" | grep -c '^not ok ' || :)
	cases=$(cat "${logs[@]}" | grep -cE '^# ok ' || :)
	skipped=$(cat "${logs[@]}" | grep -cE '^# ok .*# SKIP' || :)

	if ((passed + failed != total)); then
		say "$total programs were to run, but $((passed + failed)) reported a result: ${logs[*]}"
		return 1
	fi
	if ((failed)) || wholly_skipped "$name" "${logs[@]}" >&2; then
		say "these kselftests failed, or skipped everything (all of it: ${logs[*]}):"
		cat "${logs[@]}" | broken_promises | head -n 60 | sed 's/^/  | /' >&2
		return 1
	fi
	judge_skips "$name" "$(sed -n 's/^# selftests: .*: //p' "${logs[@]}" | sort -u)" "${logs[@]}" ||
		return
	say "$name: $total programs passed, with $((cases - skipped)) cases; $skipped skipped"
	TESTS_PASSED=$((${TESTS_PASSED:-0} + total))
	TESTS_CASES=$((${TESTS_CASES:-0} + cases - skipped))
}

# prove_skips: test that a run fails for a skip that is not listed, and for no other
prove_skips() {
	local dir TEST_LOGS EXPECTED_SKIPS said
	dir=$(mktemp -d "$BUILD/skips.XXXXXX")
	TEST_LOGS=$dir EXPECTED_SKIPS=$dir/list
	cat >"$dir/some-1.ktap" <<-'END'
		# selftests: net/can: one
		# #      SKIP      cannot
		# ok 1 a.b.c # SKIP cannot
		# ok 2 a.b.d
		ok 1 selftests: net/can: one
		# selftests: net/can: two.sh
		# # is not there
		# ok 1 word: some words # SKIP
		ok 1 selftests: net/can: two.sh
	END
	sed 's/^\(# ok 1 word\)/# ok 0 other\n\1/' "$dir/some-1.ktap" >"$dir/fourth-1.ktap"
	printf '# why\nother,so*  one  a.*  can*\nsome  two.sh  word:*  is not there\n' >"$dir/list"
	judge_programs some 2 || return
	cp "$dir/some-1.ktap" "$dir/other-1.ktap"
	! judge_programs other 2 || return
	cp "$dir/some-1.ktap" "$dir/third-1.ktap"
	! judge_programs third 2 || return
	# a reason is for the next case only
	sed 's/^some /fourth /; s/^other,so\*/fourth/' "$dir/list" >"$dir/list.fourth"
	! EXPECTED_SKIPS=$dir/list.fourth judge_programs fourth 2 || return
	sed -i '/^# ok 0 other$/d' "$dir/fourth-1.ktap"
	EXPECTED_SKIPS=$dir/list.fourth judge_programs fourth 2 || return
	# an entry that is not used is reported
	sed -i 's/ # SKIP.*//' "$dir/some-1.ktap"
	said=$(judge_programs some 2 2>&1) || return
	[[ $said == *"list:2 "* && $said == *"list:3 "* ]] || return
	# a program may skip all of its cases if its name and each case are listed
	cat >"$dir/fifth-1.ktap" <<-'END'
		# selftests: net/can: one
		# #      SKIP      cannot
		# ok 1 a.b.c # SKIP cannot
		ok 1 selftests: net/can: one # SKIP
	END
	printf '# why\nfifth  on?  a.*  can*\n' >"$dir/list"
	! judge_programs fifth 1 || return
	printf '# why\nfifth  one  a.*  may*\n' >"$dir/list"
	! judge_programs fifth 1 || return
	printf 'fifth  one  a.*  can*\n' >>"$dir/list"
	judge_programs fifth 1 || return
	sed -i '/^# ok/d' "$dir/fifth-1.ktap"
	! judge_programs fifth 1 || return
	# an entry without a comment is an error
	printf 'some  one  a.*  can*\n' >"$dir/list"
	! judge_programs some 2 || return
	rm -r "$dir"
}

# Reports of KASAN, lockdep, RCU, the atomic-sleep check, UBSAN, debugobjects, the
# reference trackers and the hung-task check, and every WARN and BUG
KERNEL_REPORTS='BUG:|WARNING:|KASAN|UBSAN|INFO: possible|INFO: task .* blocked|possible circular|suspicious RCU|rcu:.*(stall|detected)|sleeping function|ODEBUG|unregister_netdevice: waiting|Oops|general protection|refcount_t|kernel BUG|leaked reference|kmemleak: [1-9]|inconsistent lock state'
