# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Shared by the tests in tests/*.sh: results in KTAP, a network namespace with its own CAN
# interfaces, and background programs. A test looks like this:
#
#	. "$(dirname "$0")/lib.sh"
#	begin 3 "$@"			# number of results; skips without privileges
#	need_modules vcan can-raw
#	link_vcan vcan0
#	check "name of the promise" command...
#	finish
#
# Environment: BIN, the programs (default: ../bin); HELPERS, the compiled test
# programs (default: the directory of the tests); CAN_TEST_MACHINE, see own_machine.

set -euo pipefail

TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BIN=${BIN:-$TESTS/../bin}
HELPERS=${HELPERS:-$TESTS}

# Timeout in seconds for an event; reached only if a program is broken
LIMIT=${LIMIT:-120}

planned=0 number=0 failed=0 skipped=0
WORK=

# Set by start, run and ended for the last program
pid='' status='' out='' err=''

say() {
	printf '# %s\n' "${*//$'\n'/$'\n# '}"
}

# own_machine: the host is reserved for the tests. On other hosts, tests change only objects
# that they created, and no settings or modules that other processes share.
own_machine() {
	[ "${CAN_TEST_MACHINE:-}" = 1 ]
}

# shellcheck disable=SC2034 # for the tests
NOT_OWN="only on a host reserved for tests (CAN_TEST_MACHINE=1)"

# skip_all REASON: skip the whole test
skip_all() {
	echo "1..0 # SKIP $*"
	exit 4
}

# begin PLAN [ARGUMENT...]: restart the script, as root, in a new network namespace. Call this
# first, with the arguments of the script.
begin() {
	planned=$1
	shift
	if [ -z "${IN_NAMESPACE:-}" ]; then
		echo "KTAP version 1"
		[ "$(id -u)" = 0 ] || skip_all "needs root"
		unshare --net true 2>/dev/null || skip_all "network namespaces are not allowed"
		IN_NAMESPACE=1 exec unshare --net -- "$BASH" "$0" "$@"
	fi
	WORK=$(mktemp -d)
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	ip link set lo up
}

# The kernel removes the interfaces together with the namespace.
clean_up() {
	local pid

	# Only running jobs: the pid of a job that ended may have been reused.
	for pid in $(jobs -p); do
		kill -KILL "$pid" 2>/dev/null || true
	done
	wait 2>/dev/null
	rm -rf "$WORK"
}

# need_modules MODULE...: skip the test unless all are loaded, loadable or built in
need_modules() {
	local module

	for module; do
		[ -d "/sys/module/${module//-/_}" ] || modprobe -q "$module" ||
			skip_all "no kernel module $module"
	done
}

need_programs() {
	local program

	for program; do
		[ -x "$program" ] || command -v "$program" >/dev/null ||
			skip_all "$program is missing"
	done
}

# Printed before the first result, when it is known that the test is not skipped
plan() {
	[ "$number" != 0 ] || echo "1..$planned"
}

# link_vcan NAME [MTU]
link_vcan() {
	ip link add "$1" type vcan
	ip link set "$1" mtu "${2:-72}" up
}

# link_vxcan A B [MTU]: a pair of interfaces; each receives the frames sent on the other
link_vxcan() {
	ip link add "$1" type vxcan peer name "$2"
	ip link set "$1" mtu "${3:-72}" up
	ip link set "$2" mtu "${3:-72}" up
}

# one_cpu: pin this shell and its programs to one CPU, because virtual interfaces keep the
# order of frames per CPU only
one_cpu() {
	local cpus

	cpus=$(taskset -pc $$)
	cpus=${cpus##* }
	taskset -pc "${cpus%%[,-]*}" $$ >/dev/null
}

# result STATUS NAME
result() {
	plan
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number $2"
	else
		echo "not ok $number $2"
		failed=$((failed + 1))
	fi
}

skip() {
	plan
	number=$((number + 1))
	skipped=$((skipped + 1))
	echo "ok $number $1 # SKIP $2"
}

# check NAME COMMAND...: test case NAME passes if COMMAND succeeds. Functions join commands
# with &&, because bash ignores "set -e" in them here.
check() {
	local name=$1 verdict=0

	shift
	"$@" >"$WORK/check" 2>&1 || verdict=$?
	if [ "$verdict" != 0 ]; then
		say "$* gave $verdict"
		sed 's/^/# /' "$WORK/check"
	fi
	result "$verdict" "$name"
}

# run COMMAND...: set out, err and status to its standard output, standard error and exit status
run() {
	status=0
	"$@" >"$WORK/run.out" 2>"$WORK/run.err" || status=$?
	out=$(<"$WORK/run.out")
	err=$(<"$WORK/run.err")
}

# expect STATUS TEXT COMMAND...: exits with STATUS and prints TEXT on either output
expect() {
	local wanted=$1 text=$2

	shift 2
	run "$@"
	echo "status $status, wanted $wanted; text wanted: $text"
	printf '%s\n' "$out" "$err"
	[ "$status" = "$wanted" ] && grep -qF -e "$text" "$WORK/run.out" "$WORK/run.err"
}

# prints PATTERN COMMAND...: succeeds, and a line of its standard output matches (grep -E).
# With a pipe to "grep -q", SIGPIPE could end the command after the first match.
prints() {
	local pattern=$1

	shift
	run "$@"
	printf '%s\n' "$out" "$err"
	[ "$status" = 0 ] && grep -qE -e "$pattern" "$WORK/run.out"
}

# start NAME COMMAND...: run in the background; output in $WORK/NAME.out and NAME.err, pid in $pid
start() {
	local name=$1

	shift
	# Output of an earlier program with this name must not match.
	rm -f "$WORK/$name.out" "$WORK/$name.err"
	# The shell lets background programs ignore SIGINT.
	env --default-signal=INT,QUIT "$@" >"$WORK/$name.out" 2>"$WORK/$name.err" &
	pid=$!
}

# until_true COMMAND...: repeat COMMAND until it succeeds
until_true() {
	local end=$((SECONDS + LIMIT))

	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}

# is_stopped PID: all threads of the process are stopped
is_stopped() {
	awk '/^State:/ && $2 != "T" { runs = 1 } END { exit runs }' /proc/"$1"/task/*/status
}

# until_says NAME TEXT [PID]: wait until the program of "start NAME" has printed TEXT; fails if it
# ends before
until_says() {
	local end=$((SECONDS + LIMIT)) over=

	while [ -z "$over" ]; do
		# Check this before the output, which may be complete only after the exit.
		if [ "$SECONDS" -ge "$end" ] || { [ -n "${3:-}" ] && ! kill -0 "$3" 2>/dev/null; }; then
			over=1
		fi
		! grep -qsF -e "$2" "$WORK/$1.out" "$WORK/$1.err" || return 0
		sleep 0.05
	done
	say "$1 did not print '$2'"
	sed 's/^/# /' "$WORK/$1.out" "$WORK/$1.err"
	return 1
}

# ended PID [SIGNAL]: send SIGNAL, if given, and wait until the background program has ended; its
# exit status is then in status
ended() {
	local end=$((SECONDS + LIMIT))

	[ -z "${2:-}" ] || kill -s "$2" "$1" 2>/dev/null || true
	while kill -0 "$1" 2>/dev/null; do
		if [ "$SECONDS" -ge "$end" ]; then
			say "process $1 does not end"
			return 1
		fi
		sleep 0.05
	done
	status=0
	wait "$1" || status=$?
}

# json NAME EXPRESSION: the Python expression is true; r is the JSON object in $WORK/NAME.out
json() {
	python3 - "$WORK/$1.out" "$2" <<-'PY'
		import json, sys
		with open(sys.argv[1], encoding="utf-8") as f:
		    r = json.load(f)
		if not eval(sys.argv[2], {"r": r, "series": {s["name"]: s for s in r["series"]}}):
		    for s in [r] + r["series"]:
		        s.pop("profile", None)
		        s.pop("frames", None)
		    sys.exit("not true: %s\n%s" % (sys.argv[2], json.dumps(r, indent=1)))
	PY
}

# true_of NAME EXPRESSION: likewise; r is the JSON in $WORK/NAME
true_of() {
	python3 - "$WORK/$1" "$2" <<-'PY'
		import json, sys
		with open(sys.argv[1], encoding="utf-8") as f:
		    r = json.load(f)
		if not eval("(" + sys.argv[2] + ")", {"r": r}):
		    sys.exit("not true: %s\n%s" % (sys.argv[2], json.dumps(r, indent=1)))
	PY
}

canroute() {
	"$BIN/canroute" "$@"
}

# in_force LINE...: the gateway has exactly these rules, in this order
in_force() {
	diff <([ $# = 0 ] || printf '%s\n' "$@") <(canroute save)
}

# keeps_to_schema NAME: the JSON object in $WORK/NAME.out is valid according to the schema
keeps_to_schema() {
	python3 - "$TESTS/../result.schema.json" "$WORK/$1.out" <<-'PY'
		import json, sys
		import jsonschema
		schema, result = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
		jsonschema.validate(result, schema)
	PY
}

# finish: print the totals; exit status 1 if a test case failed
finish() {
	echo "# Totals: pass:$((number - failed - skipped)) fail:$failed skip:$skipped"
	if [ "$number" != "$planned" ]; then
		say "planned $planned results, but there are $number"
		exit 1
	fi
	exit $((failed > 0))
}
