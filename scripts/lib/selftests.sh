# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kselftests: built and installed from the patched tree with the kernel's
# own makefiles, against the patched tree's uapi headers (those of the host are
# older), and run in the machine by the kernel's own runner.

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
	make -C "$TREE/tools/testing/selftests" TARGETS=net/can CC="ccache gcc" O="$KSELFTEST.build" \
		KHDR_INCLUDES="-isystem $HEADERS/usr/include" \
		KSFT_INSTALL_PATH="$KSELFTEST" install 2>&1 | tee "$log"
	if grep -E '(warning|error):' "$log"; then
		echo "the kselftests do not build without a warning"
		return 1
	fi
	# the runner takes what is missing for an empty list
	[[ -s $KSELFTEST/kselftest-list.txt ]]
}

# The kselftests of a topic, as they are in its tree
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

# topic_headers FROM TO: those of CAN that the topic in TOPIC_TREE does not have are left out
topic_headers() {
	local file
	rm -rf "$2"
	cp -al "$1" "$2"
	for file in "$2"/usr/include/linux/can/*.h; do
		[[ -f $TOPIC_TREE/include/uapi/linux/can/${file##*/} ]] || rm "$file"
	done
}

# library_sources: what is compiled once and linked into all programs, as lines of a list
library_sources() {
	sed -n 's|^LIBRARY += \(.*\)\.c$|net/can:\1|p; s|^TEST_FILES += \(.*\)|net/can:\1|p' \
		"$TOPIC_TREE/tools/testing/selftests/net/can/Makefile"
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

# Which programs a suite runs: "own" are those that make their interfaces
# themselves or use the emulated controllers, "sim" those on simulated buses,
# whose time is the machine's: there it counts instructions, so that a busy host
# does not make a bus late. The simulated CPU has 500 MIPS, and 1000, than which
# there are none faster, with the debug kernel. That needs several times as
# many instructions, so busy buses are five times slower there, and a tenth of the
# frames is sent.
#
# "kernel" are the own ones without cangw.sh, which is about what cangw prints
# and accepts: that is the same on every kernel, and what it reaches in the
# gateway the gw_ programs reach, too. "threads" are those of them that do
# several things at the same time, for which a second CPU makes the difference,
# and "alone" the others. "contexts" are those of these for which it makes a difference in
# which context frames are received; what a rule makes of a frame is not one of them.
# "checked" are those for which it makes a difference that the kernel checks itself: what a
# rule makes of a frame, KUnit suites do with the same checkers.
# "topic" are those that the topic LAB_TOPIC brings.
# "outside" are those that make something outside of a network namespace of their own, or
# would, on a machine of the tests' own.
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
	sim) kselftest_list | grep ':sim_' ;;
	own) kselftest_list | grep -v ':sim_' ;;
	kernel) select_programs own | grep -v ':cangw.sh' ;;
	threads) select_programs kernel | grep -xf <(concurrent_programs) ;;
	outside) kselftest_list | grep -xf <(outside_programs) ;;
	leaks) select_programs kernel | grep -E ':gw_(nl_|fuzz|table|churn)' ;;
	alone) select_programs kernel | grep -vxf <(concurrent_programs) ;;
	topic) topic_programs "$LAB_TOPIC" | grep -xf <(kselftest_list) ;;
	checked) select_programs alone | grep -vE ':gw_(csum|filter|flags|mod)$' ;;
	contexts) select_programs alone | grep -vE ':gw_(csum|filter|flags|input|mod)$' ;;
	esac
}

# The programs that take longest, longest first: two machines that take these
# first and the others afterwards come to an end at about the same time.
LONGEST=(
	cangw.sh can_link.sh gw_csum can_napi.sh gw_input gw_hops gw_mod
	sim_variants sim_load sim_napi sim_fifo sim_link.sh sim_time sim_sockets
	canlat.sh canugw.sh canping.sh canbench-load.sh canbench.sh
)

longest_first() {
	awk -F: -v longest="${LONGEST[*]}" '
		BEGIN { for (n = split(longest, names, " "); n; n--) rank[names[n]] = n }
		{ print ($2 in rank ? rank[$2] : NR + 1000), $0 }' | sort -n | cut -d ' ' -f 2-
}

# run_machine NAME NUMBER PROGRAM…
run_machine() {
	local name=$1 number=$2
	shift 2
	VM_CONSOLE=$TEST_LOGS/$name-$number.console
	vm_run "$LAB_ROOT/scripts/guest/kselftest" "$KSELFTEST" "$TEST_LOGS/$name.queue" \
		"$TEST_LOGS/$name-$number" "$@"
}

# run_harmless: the programs that reach outside, in a machine that somebody uses; it must be
# afterwards what it was
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

# run_selftests NAME SELECTION MACHINES: run the programs in that many prepared
# machines, each of which takes the next one from a common queue; the KTAP output
# and the kernel's log go to build/log/kselftest/NAME-*. Judges the result. Two
# machines want to have one CPU each: with two CPUs, each of which has to wait for
# the other, on one of the host, a machine was four times slower.
run_selftests() {
	local name=$1 machines=$3 number programs pids=() bad=0 status
	mapfile -t programs < <(select_programs "$2" | longest_first)
	((${#programs[@]})) || die "$name: there are no programs to run"
	if [[ $2 == sim || ${programs[*]} == *:sim_* && ${programs[*]} != *:[!s]* ]]; then
		VM_ICOUNT=$SIM_ICOUNT VM_SPIN=yes VM_CAN=none
	fi
	if [[ $2 == sim && $VM_FLAVOUR == debug ]]; then
		VM_ICOUNT=$SIM_ICOUNT_DEBUG
		local -x SIM_SLOWER=${SIM_SLOWER:-5} SIM_FRAMES=${SIM_FRAMES:-10000}
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

# Its run counts only if the runner came to its end and the kernel reported nothing.
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

# What failed, of KTAP on standard input, each with the last that was said before.
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

# skipped_cases: "PROGRAM<tab>CASE<tab>REASON" for each that was skipped, of KTAP on standard input
skipped_cases() {
	awk '
		/^# selftests: / { program = $NF; said = "" }
		/^# ok .*# SKIP/ {
			reason = test = $0
			sub(/.*# SKIP */, "", reason)
			sub(/^# ok [0-9]+ *(- )?/, "", test)
			sub(/ *# SKIP.*/, "", test)
			# of a shell test, which says the reason in the line before
			print program "\t" test "\t" (reason ? reason : said)
		}
		/^# (not )?ok / { said = "" }
		/^# # / { said = substr($0, 5) }'
}

# read_expected_skips NAME: those of this run, as "LINE<tab>PROGRAM<tab>CASE<tab>REASON"
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

# judge_skips NAME RUN LOG…: nothing was skipped but what EXPECTED_SKIPS lists for
# this run of the programs RUN. Entries for these for which nothing was skipped are reported.
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

# wholly_skipped NAME LOG…: the programs that skipped all that they have, but for those that an
# entry of EXPECTED_SKIPS names without a pattern, whose cases judge_skips() looks at
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

# Every program was run and passed, none of them skipped all that it has, and cases only
# where that is expected.
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

# prove_skips: a run fails for a skip that is not listed, and for no other
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
	# a reason counts for the next case only
	sed 's/^some /fourth /; s/^other,so\*/fourth/' "$dir/list" >"$dir/list.fourth"
	! EXPECTED_SKIPS=$dir/list.fourth judge_programs fourth 2 || return
	sed -i '/^# ok 0 other$/d' "$dir/fourth-1.ktap"
	EXPECTED_SKIPS=$dir/list.fourth judge_programs fourth 2 || return
	# what is listed and not skipped is reported
	sed -i 's/ # SKIP.*//' "$dir/some-1.ktap"
	said=$(judge_programs some 2 2>&1) || return
	[[ $said == *"list:2 "* && $said == *"list:3 "* ]] || return
	# a program skips all that it has where its name and each of its cases are listed
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
	# and nothing without a reason
	printf 'some  one  a.*  can*\n' >"$dir/list"
	! judge_programs some 2 || return
	rm -r "$dir"
}

# What KASAN, lockdep, RCU, the atomic-sleep check, UBSAN, debugobjects, the
# reference trackers and the hung-task check print, and every WARN and BUG.
KERNEL_REPORTS='BUG:|WARNING:|KASAN|UBSAN|INFO: possible|INFO: task .* blocked|possible circular|suspicious RCU|rcu:.*(stall|detected)|sleeping function|ODEBUG|unregister_netdevice: waiting|Oops|general protection|refcount_t|kernel BUG|leaked reference|kmemleak: [1-9]|inconsistent lock state'
