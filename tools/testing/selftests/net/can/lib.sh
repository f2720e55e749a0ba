#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Functions of the CAN selftests in shell. A test is a list of cases:
#
#	CASES=("name: its promise" ...)
#	can_main "$@"
#
# where the function of a case is test_ and its name. can_main() runs each of
# them in a process and a network namespace of its own and prints its result as
# a KTAP line. A case passes when it returns 0; can_fail() and can_skip() end it.
# Case names as arguments of the test select these cases.
#
# Do not call these functions in a subshell: can_fail() could not end the case.

# Links are not followed: a file may be a link into another tree, and the files that
# it needs are in the directory of the link.
case ${BASH_SOURCE[0]} in
*/*) CAN_DIR=${BASH_SOURCE[0]%/*} ;;
*) CAN_DIR=. ;;
esac

# shellcheck source=/dev/null
. "$CAN_DIR/../lib.sh"
# shellcheck source=/dev/null
. "$CAN_DIR/../../kselftest/ktap_helpers.sh"

set -u

##############################################################################
# Cases

# can_log() - a line of diagnostics
can_log()
{
	printf '# %s\n' "$*"
}

# can_fail() - end the case: it failed; names the line of the test
can_fail()
{
	local i

	for ((i = 1; i < ${#FUNCNAME[@]}; i++)); do
		[ "${BASH_SOURCE[i]}" != "$0" ] || break
	done
	can_log "${FUNCNAME[i]:-}, line ${BASH_LINENO[i - 1]}: $*"
	exit "$KSFT_FAIL"
}

# can_skip() - end the case: it cannot run here
can_skip()
{
	can_log "$*"
	exit "$KSFT_SKIP"
}

# can_baseline() - do the modules under test lack the patches? (see cantest.h)
can_baseline()
{
	[ "${CAN_BASELINE:-}" = 1 ]
}

# can_own_machine() - may a test change anything on this machine? (see cantest.h)
can_own_machine()
{
	[ "${CAN_TEST_MACHINE:-}" = 1 ]
}

# why a case is skipped that would change more than it has made
# shellcheck disable=SC2034 # for the test
CAN_NOT_OWN="only on a machine of the tests' own (CAN_TEST_MACHINE=1)"

# can_skip_all() - end the test before its plan: it cannot run here
can_skip_all()
{
	ktap_skip_all "$*"
	exit "$KSFT_SKIP"
}

# can_need() - end the test unless all of these programs are installed
can_need()
{
	local program

	for program; do
		command -v "$program" > /dev/null ||
			can_skip_all "$program is not installed"
	done
}

# can_modules() - load modules that the kernel does not have yet
#
# Return: 0 when they are there, or built in as far as modprobe knows.
can_modules()
{
	modprobe -q -a "$@"
}

# can_has() - does the script have this function? The test runs can_prepare() before
# it prints its plan, and a case runs case_cleanup() when it ends.
can_has()
{
	declare -F "$1" > /dev/null
}

can_case_end()
{
	[ -z "${CAN_DUMP_PID:-}" ] || kill "$CAN_DUMP_PID" 2> /dev/null
	if can_has case_cleanup; then
		case_cleanup
	fi
	cleanup_all_ns
}

# can_case() - run one case in a process and a network namespace of its own
can_case()
{
	CAN_CASE=$1 unshare --net -- "$BASH" "$0"
}

can_result()
{
	local entry=$1 status

	can_case "${entry%%:*}"
	status=$?

	case $status in
	"$KSFT_PASS")
		ktap_test_pass "$entry"
		;;
	"$KSFT_SKIP")
		ktap_test_skip "$entry"
		;;
	*)
		can_log "exit status $status"
		ktap_test_fail "$entry"
		;;
	esac
}

# can_main() - run the cases of CASES, or only those in the arguments
can_main()
{
	local entry selected=()

	if [ -n "${CAN_CASE:-}" ]; then
		trap can_case_end EXIT
		trap 'exit 143' HUP INT TERM
		"test_$CAN_CASE" || exit
		exit "$KSFT_PASS"
	fi

	for entry in "${CASES[@]}"; do
		if [ $# -eq 0 ] || [[ " $* " = *" ${entry%%:*} "* ]]; then
			selected+=("$entry")
		fi
	done

	ktap_print_header
	[ "$(id -u)" -eq 0 ] || can_skip_all "needs root"
	if can_has can_prepare; then
		can_prepare
	fi

	if [ $# -gt 0 ] && [ "${#selected[@]}" -ne $# ]; then
		echo "# not all of these are cases: $*"
		exit "$KSFT_FAIL"
	fi
	ktap_set_plan "${#selected[@]}"
	for entry in "${selected[@]}"; do
		can_result "$entry"
	done
	ktap_finished
}

##############################################################################
# Commands

# can_do() - run a command that must succeed
can_do()
{
	local out status

	out=$("$@" 2>&1) && return
	status=$?
	can_fail "'$*' failed with status $status: $out"
}

# can_rejected() - run a command that must exit with just this status
# @status: exit status
# @text: its output has to contain this, or one of several, between "|"; may be empty
can_rejected()
{
	local want=$1 texts out status one

	IFS='|' read -ra texts <<< "${2:-|}"
	shift 2
	out=$("$@" 2>&1)
	status=$?
	[ $status -eq "$want" ] ||
		can_fail "'$*': status $status and not $want: $out"
	for one in "${texts[@]}"; do
		[[ $out = *"$one"* ]] && return
	done
	can_fail "'$*': none of '${texts[*]}' in: $out"
}

# can_equal() - compare two texts
can_equal()
{
	local what=$1 want=$2 got=$3

	[ "$got" = "$want" ] || can_fail "$what: expected '$want', got '$got'"
}

# can_vcan() - create vcan interfaces for frames of up to @mtu and bring them up
can_vcan()
{
	local mtu=$1 name batch=

	shift
	for name; do
		batch+="link add $name type vcan"$'\n'
		batch+="link set $name mtu $mtu up"$'\n'
	done
	can_do ip -batch - <<< "$batch"
}

# can_vxcan() - create a vxcan pair and bring both ends up
can_vxcan()
{
	local name=$1 peer=$2

	can_do ip -batch - <<- EOF
		link add $name type vxcan peer name $peer
		link set $name mtu 72 up
		link set $peer mtu 72 up
	EOF
}

##############################################################################
# Frames

# can_bound() - has a CAN_RAW socket without a filter been bound to @device?
can_bound()
{
	local device ident

	while read -r device ident; do
		if [ "$device" = "$1" ] && [ "${ident##* }" = raw ]; then
			return 0
		fi
	done < /proc/net/can/rcvlist_all
	return 1
}

# can_dump() - begin to receive all frames on all interfaces of the namespace
can_dump()
{
	local deadline=$((SECONDS + WAIT_TIMEOUT)) nothing status

	exec {CAN_DUMP_FD}< <(exec candump -L any)
	CAN_DUMP_PID=$!

	# there is no output yet: read waits, and returns when candump ends
	until can_bound any; do
		[ $SECONDS -le $deadline ] || can_fail "candump does not bind"
		read -r -t 0.05 -u "$CAN_DUMP_FD" nothing
		status=$?
		[ $status -gt 128 ] || can_fail "candump: $status $nothing"
	done
}

# can_send() - send frames, written as for cansend, to an interface
can_send()
{
	local device=$1 frame

	shift
	for frame; do
		can_do cansend "$device" "$frame"
	done
}

# can_next() - wait for the next frame
#
# It is in CAN_SEEN as "interface frame", the time of its reception in CAN_TIME
# in microseconds.
can_next()
{
	local stamp device frame rest

	read -r -t "$WAIT_TIMEOUT" -u "$CAN_DUMP_FD" stamp device frame rest ||
		can_fail "no frame, still expecting $*"
	# shellcheck disable=SC2034 # for the test
	CAN_TIME=${stamp//[().]/}
	CAN_SEEN="$device $frame"
}

# can_expect() - the next frames are just these, in this order
can_expect()
{
	local want

	for want; do
		can_next "$want"
		can_equal "next frame" "$want" "$CAN_SEEN"
	done
}

# can_expect_set() - the next frames are just these, in any order
can_expect_set()
{
	local want got=() i

	for ((i = 0; i < $#; i++)); do
		can_next "$*"
		got+=("$CAN_SEEN")
	done
	want=$(printf '%s\n' "$@" | sort)
	can_equal "next frames" "$want" "$(printf '%s\n' "${got[@]}" | sort)"
}

# can_one_cpu() - stay on one CPU, for can_quiet()
#
# Virtual interfaces deliver a frame through the queue of the CPU that sends
# it, one after the other. With the whole test on one CPU there is one such
# queue: when a frame arrives, all frames before it have been delivered.
can_one_cpu()
{
	local key cpus

	while read -r key cpus; do
		[ "$key" != Cpus_allowed_list: ] || break
	done < /proc/self/status
	taskset -pc "${cpus%%[,-]*}" $$ > /dev/null ||
		can_skip_all "cannot choose a CPU"
}

# can_quiet() - there are no further frames, forwarded once or not at all
# Needs can_one_cpu() and an interface sync0.
#
# When the first mark arrives, all frames that had been sent are delivered, and
# those that the gateway made of them have entered the queue before the second mark.
can_quiet()
{
	local mark i

	for i in 1 2; do
		printf -v mark '7FF#%08X' $((CAN_SYNC = ${CAN_SYNC:-0} + 1))
		can_send sync0 "$mark"
		can_expect "sync0 $mark"
	done
}
