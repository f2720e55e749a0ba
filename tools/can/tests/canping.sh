#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canping on virtual interfaces: requester and responder on one vcan interface, on both ends
# of a vxcan pair, and with known faults between them:
#
#	requester a0 ══ a1 faultbus b1 ══ b0 responder		pings
#	requester a0 ══ a1  cangw   b1 ══ b0 responder		answers, without faults
#
# The expected numbers are exact: pings are sent one by one, or each with its own identifier,
# and all components keep the order. Only tests of lost pings wait for a timeout.

# check calls the functions below.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# PATIENCE: timeout for pings that will be answered, long enough for slow hosts. TIMEOUT: for
# pings that will not be answered; the test takes this time.
PATIENCE=${PATIENCE:-60s}
TIMEOUT=${TIMEOUT:-5s}

# responder NAME IF [OPTION...]: start a responder, and wait until it is ready
responder() {
	local name=$1

	shift
	start "$name" "$BIN/canping" --responder "$@"
	responder_pid=$pid
	until_says "$name" ready "$responder_pid"
}

# requester STATUS [OPTION...]: run the requester, with JSON in run.out. It is interrupted after
# three times LIMIT; its status is then 124.
requester() {
	local wanted=$1

	shift
	run timeout -s INT "$((3 * LIMIT))" "$BIN/canping" --json "$@"
	echo "status $status, wanted $wanted: $err"
	[ "$status" = "$wanted" ]
}

# counts EXPRESSION: the Python expression is true; c: counts, o: options of the last requester
counts() {
	json run "(lambda c, o: $1)(r['counts'], r['options'])"
}

# All pings were answered, and all other counters are 0
CLEAN="c['sent'] == c['received'] > 0 and not any(
	n for name, n in c.items() if name not in ('sent', 'received'))"

# endless [OPTION...]: start a requester without a limit in the background
endless() {
	start endless "$BIN/canping" --count 0 "$@"
	endless_pid=$pid
}

# hear N [ID]: record the next N frames on x1, with identifier ID, in dump.out
hear() {
	start dump candump -L -n "$1" "x1${2:+,$2:7FF}"
	dump_pid=$pid
	until_true grep -qsE '^ +x1 ' /proc/net/can/rcvlist_all /proc/net/can/rcvlist_fil
}

# pings_pass N: wait for N pings on the bus
pings_pass() {
	start pass candump -L -n "$1" x1,200:7FF
	ended "$pid"
}

# heard FRAME...: exactly these frames were recorded
heard() {
	ended "$dump_pid" && sed 's/.* //' "$WORK/dump.out" &&
		[ "$(sed 's/.* //' "$WORK/dump.out")" = "$(printf '%s\n' "$@")" ]
}

# faults [OPTION...]: start faultbus between requester and responder
faults() {
	start faults "$HELPERS/faultbus" "$@" a1 b1
	faults_pid=$pid
	until_says faults ready "$faults_pid"
}

# no_faults: faultbus exits with 0, and has missed no frame
no_faults() {
	ended "$faults_pid" TERM && [ "$status" = 0 ] && grep -q 'missed 0$' "$WORK/faults.out"
}

# ---- rejected command lines ----

# rejected STATUS TEXT ARGUMENT...: canping exits with STATUS and TEXT, without a result
rejected() {
	expect "$1" "$2" "$BIN/canping" "${@:3}" && [ -z "$out" ]
}

bad_arguments() {
	rejected 2 "interface is required" &&
		rejected 2 "can1" can0 can1 &&
		rejected 2 "--wrong" --wrong can0 &&
		rejected 2 "-z" -z can0 &&
		rejected 2 "--period requires a value" --period &&
		rejected 2 "--period requires a value" -fp &&
		rejected 2 "--flood does not take a value" --flood=1 can0 &&
		rejected 2 "unknown option -z" --flood -zf can0 &&
		rejected 2 "--id: '12'" --id 12 can0 &&
		rejected 2 "--id: identifier 800" --id 800 can0 &&
		rejected 2 "--offset: '-1'" --offset -1 can0 &&
		rejected 2 "--offset: 256 plus identifier 7FF" --id 7FF can0 &&
		rejected 2 "--parallel: 0" --parallel 0 can0 &&
		rejected 2 "overlap" --parallel 3 --offset 2 can0 &&
		rejected 2 "exceed 7FF" --parallel 20 --id 6F0 can0 &&
		rejected 2 "--count: 'many'" --count many can0 &&
		rejected 2 "--period: '5'" --period 5 can0 &&
		rejected 2 "--timeout: 0 is out of bounds: 1ns to" --timeout 0 can0 &&
		rejected 2 "mutually exclusive" --period 1ms --flood can0 &&
		rejected 2 "--length: 3" --length 3 can0 &&
		rejected 2 "--length: 12 bytes require --fd" --length 12 can0 &&
		rejected 2 "9 is not a CAN FD length" --fd --length 9 can0 &&
		rejected 2 "--brs" --brs can0 &&
		rejected 2 "--priority: 100" --priority 100 can0 &&
		rejected 2 "--histogram is not valid with --responder" --responder --histogram can0
}

bad_interfaces() {
	rejected 3 "interface can0 does not exist" can0 &&
		rejected 3 "interface can0 does not exist" --responder can0 &&
		rejected 2 "--histogram is not valid with --responder" --slave --histogram can0 &&
		rejected 2 "--histogram is not valid with --responder" -s --histogram can0 &&
		rejected 3 "lo is not a CAN interface" lo &&
		rejected 3 "invalid interface name" aninterfacewithalongname &&
		rejected 3 "down0 is down" down0 &&
		rejected 3 "down0 is down" --responder down0 &&
		rejected 3 "small0 does not support CAN FD frames" --fd small0
}

no_privilege() {
	expect 3 "CAP_SYS_NICE" setpriv --reuid 65534 --clear-groups --bounding-set -all \
		prlimit --rtprio=0 "$BIN/canping" --priority 50 vcan0 &&
		expect 3 "CAP_IPC_LOCK" setpriv --reuid 65534 --clear-groups --bounding-set -all \
			prlimit --memlock=4096 "$BIN/canping" --lock-memory vcan0
}

# ---- answered pings ----

one_interface() {
	responder responder vcan0 --count 100 &&
		requester 0 vcan0 --flood --count 100 --timeout "$PATIENCE" &&
		counts "$CLEAN and c['sent'] == 100" &&
		json run "r['complete'] and r['tool'] == 'canping' and r['load'] == 'none'" &&
		json run "series['rtt']['count'] == 100 and series['rtt']['min_ns'] > 0" &&
		ended "$responder_pid" && [ "$status" = 0 ]
}

# all_answered OPTION...: pings between the ends of a vxcan pair are all answered
all_answered() {
	responder responder x1 "$@" &&
		requester 0 x0 --timeout "$PATIENCE" "$@" "${traffic[@]}" && counts "$CLEAN" &&
		ended "$responder_pid" INT && [ "$status" = 0 ]
}

kinds() {
	local traffic

	traffic=(--flood --count 20)
	all_answered --id 7FE --offset 1 &&
		all_answered --id 00000700 --offset 0x1000000 &&
		traffic+=(--length 4) && all_answered &&
		traffic=(--flood --count 20 --fd) && all_answered &&
		traffic+=(--length 64 --brs) && all_answered --id 1FFFFFFE --offset 1
}

# Pings and answers have the documented format.
on_the_bus() {
	hear 4 && responder responder x1 --id 123 --offset 0x200 &&
		requester 0 x0 --flood --count 2 --length 6 --id 123 --offset 0x200 \
			--timeout "$PATIENCE" &&
		ended "$responder_pid" TERM &&
		heard "123#000000005555" "323#000000005555" "123#000000015555" "323#000000015555" &&
		# The digit after ## has the flags: BRS, and FDF which the kernel adds.
		hear 2 && responder responder x1 &&
		requester 0 x0 --flood --count 1 --fd --brs --length 12 --timeout "$PATIENCE" &&
		ended "$responder_pid" TERM &&
		heard "200##5000000005555555555555555" "300##5000000005555555555555555"
}

parallel() {
	responder responder x1 &&
		requester 0 x0 --flood --count 50 --parallel 200 --each --timeout "$PATIENCE" &&
		counts "$CLEAN and c['sent'] == 50 * 200 and o['parallel'] == 200" &&
		json run "series['rtt']['count'] == 50 * 200 and len(r['series']) == 201" &&
		json run "all(series['rtt %03X' % i]['count'] == 50 for i in range(0x200, 0x2c8))" &&
		ended "$responder_pid" INT
}

# Without a responder: one ping of each identifier is sent, and none is answered.
parallel_at_once() {
	hear 8 && endless x0 --json --parallel 8 --timeout "$PATIENCE" &&
		heard {200..207}"#0000000055555555" && ended "$endless_pid" INT && [ "$status" = 0 ] &&
		json endless "r['counts']['pending'] == 8 and not r['complete']"
}

# Ten pings span nine periods, according to the kernel timestamps of candump. Missed periods are
# skipped, so the time is never shorter.
period_is_kept() {
	hear 10 200 && responder responder x1 &&
		requester 0 x0 --period 20ms --count 10 --timeout "$PATIENCE" &&
		counts "$CLEAN and o['traffic'] == 'periodic' and o['period_ns'] == 20000000" &&
		ended "$responder_pid" INT && ended "$dump_pid" &&
		python3 - "$WORK/dump.out" <<-'PY'
			import sys
			with open(sys.argv[1], encoding="utf-8") as f:
			    stamps = [float(line.split(")")[0][1:]) for line in f]
			print(stamps)
			# The first ping may have been late by less than a period.
			sys.exit(len(stamps) != 10 or stamps[-1] - stamps[0] < 8 * 0.02)
		PY
}

# ---- lost, late, duplicated, reordered and changed answers ----

responder_ends() {
	responder responder x1 --count 50 &&
		requester 1 x0 --flood --count 51 --timeout "$TIMEOUT" &&
		counts "c['sent'] == 51 and c['received'] == 50 and c['lost'] == 1"
}

responder_killed() {
	responder responder x1 && endless x0 --json --flood --timeout 1s &&
		pings_pass 5 && ended "$responder_pid" KILL &&
		# The first of these may be answered, the others are not; the third follows a lost one.
		pings_pass 3 && ended "$endless_pid" INT && [ "$status" = 1 ] &&
		json endless "not r['complete'] and r['counts']['lost'] >= 1" &&
		json endless "r['counts']['received'] >= 4" &&
		json endless "r['counts']['sent'] == sum(r['counts'][n]
			for n in ('received', 'lost', 'late', 'pending'))"
}

interrupted() {
	responder responder x1 && endless x0 --flood --timeout "$PATIENCE" --histogram &&
		pings_pass 10 && ended "$endless_pid" INT && [ "$status" = 0 ] &&
		grep -q 'answered in time' "$WORK/endless.out" &&
		grep -q 'median' "$WORK/endless.out" && grep -q '##' "$WORK/endless.out" &&
		ended "$responder_pid" INT && [ "$status" = 0 ] &&
		grep -q 'pings received' "$WORK/responder.out"
}

no_responder() {
	requester 1 x0 --count 1 --parallel 3 --timeout 1s &&
		counts "c['sent'] == c['lost'] == 3" && grep -q 'canping --responder' "$WORK/run.err" &&
		json run "series['rtt']['count'] == 0 and series['rtt']['median_ns'] is None"
}

dropped() {
	faults --drop 4 &&
		requester 1 a0 --parallel 20 --count 1 --timeout "$TIMEOUT" &&
		counts "c['sent'] == 20 and c['received'] == 15 and c['lost'] == 5 and
			c['late'] == c['duplicated'] == c['reordered'] == c['unexpected'] == 0" &&
		no_faults
}

duplicated() {
	faults --duplicate 5 &&
		requester 1 a0 --flood --count 21 --timeout "$PATIENCE" &&
		counts "c['sent'] == c['received'] == 21 and c['duplicated'] == 4 and
			c['lost'] == c['late'] == c['reordered'] == c['unexpected'] == 0" &&
		no_faults
}

# faultbus holds the third ping until the fourth one was sent, after a timeout.
swapped() {
	faults --swap 3 &&
		requester 1 a0 --flood --count 5 --timeout "$TIMEOUT" &&
		counts "c['sent'] == 5 and c['received'] == 4 and c['late'] == c['reordered'] == 1 and
			c['lost'] == c['duplicated'] == c['unexpected'] == 0" &&
		no_faults
}

# Answers take at least ten timeouts, so all are late, and the first one arrives before the end.
late() {
	faults --delay 5s &&
		requester 1 a0 --flood --count 15 --timeout 500ms &&
		counts "c['sent'] == 15 and c['received'] == 0 and c['late'] >= 1 and
			c['late'] + c['lost'] == 15 and c['duplicated'] == c['unexpected'] == 0" &&
		no_faults
}

# A known delay is measured; a wrong unit or a doubled delay would be detected.
delayed() {
	faults --delay 1s &&
		requester 0 a0 --flood --count 3 --timeout "$PATIENCE" &&
		json run "1e9 <= series['rtt']['min_ns'] and series['rtt']['median_ns'] < 2e9" &&
		no_faults
}

changed() {
	cangw -D -s b1 -d a1 -f 300:700 &&
		cangw -A -s b1 -d a1 -f 300:700 -m XOR:D:000.0.0000000000000001 || return 1
	faults && requester 1 a0 --flood --count 10 --timeout "$PATIENCE" &&
		counts "c['sent'] == c['received'] == c['changed'] == 10 and c['lost'] == 0" &&
		no_faults
}

# The gateway sets the number in the answers to FFFFFFFF, which was not sent.
unexpected() {
	cangw -F && cangw -A -s b1 -d a1 -f 300:700 -m OR:D:000.0.FFFFFFFF00000000 || return 1
	faults && requester 1 a0 --count 2 --parallel 2 --flood --timeout "$TIMEOUT" &&
		counts "c['sent'] == c['lost'] == c['unexpected'] == 4 and c['received'] == 0" &&
		no_faults
}

# A queue that accepts one or two pings, and no more for many seconds.
slow_queue() {
	tc qdisc add dev x0 root tbf rate 8bit burst 32 limit 16
}

queue_full() {
	slow_queue &&
		responder responder x1 &&
		requester 1 x0 --count 1 --parallel 6 --timeout "$TIMEOUT" &&
		counts "c['unsent'] >= 2 and c['sent'] + c['unsent'] == 6" &&
		ended "$responder_pid" INT && tc qdisc del dev x0 root
}

# While the responder is stopped, more pings arrive than its queue holds. It ends before it has
# read all queued pings, and reports the others as missed.
responder_overrun() {
	responder responder x1 --json --count 1000 &&
		kill -STOP "$responder_pid" && until_true is_stopped "$responder_pid" &&
		cangen x0 -g 0 -p 100 -n 10000 -I 200 -L 8 &&
		kill -CONT "$responder_pid" && ended "$responder_pid" && [ "$status" = 1 ] &&
		json responder "r['counts']['received'] == r['counts']['answered'] == 1000" &&
		json responder "0 < r['counts']['overrun'] < 9000"
}

interface_goes_down() {
	responder responder x1 && endless x0 --flood &&
		pings_pass 3 && ip link set x0 down &&
		ended "$endless_pid" && [ "$status" = 3 ] &&
		grep -q 'x0: the interface is down' "$WORK/endless.err" &&
		ip link del x0 && ended "$responder_pid" && [ "$status" = 3 ] &&
		grep -q 'the interface is' "$WORK/responder.err"
}

has_priority() {
	prints SCHED_FIFO chrt -p "$1" && prints " $2\$" chrt -p "$1"
}

has_locked() {
	grep -q 'VmLck:[[:space:]]*[1-9]' "/proc/$1/status"
}

real_time() {
	responder responder vcan0 --priority 60 --lock-memory &&
		endless vcan0 --priority 61 --lock-memory &&
		until_true has_priority "$endless_pid" 61 && has_locked "$endless_pid" &&
		has_priority "$responder_pid" 60 && has_locked "$responder_pid" &&
		ended "$endless_pid" INT && ended "$responder_pid" INT
}

text_output() {
	responder responder vcan0 --json &&
		run "$BIN/canping" --flood --count 50 --parallel 2 --each --histogram \
			--timeout "$PATIENCE" vcan0 && [ "$status" = 0 ] && echo "$out" &&
		grep -q '100  answered in time' "$WORK/run.out" &&
		grep -q '^ *201 *50 *50 ' "$WORK/run.out" &&
		ended "$responder_pid" INT && cp "$WORK/responder.out" "$WORK/run.out" &&
		json run "r['options']['mode'] == 'responder' and r['counts']['answered'] == 100"
}

# Results with latencies, without latencies, and of a responder
all_keep_to_schema() {
	responder responder x1 --json --label "responder" &&
		requester 0 x0 --flood --count 5 --each --load "nothing" --timeout "$PATIENCE" &&
		keeps_to_schema run && ended "$responder_pid" INT && keeps_to_schema responder &&
		requester 1 x0 --count 1 --timeout 1s && keeps_to_schema run
}

begin 26 "$@"
need_modules vcan vxcan can-raw can-gw
need_programs "$BIN/canping" "$HELPERS/faultbus" candump cangen cangw setpriv prlimit taskset timeout chrt python3
one_cpu

ip link add down0 type vcan
link_vcan small0 16
link_vcan vcan0
link_vxcan x0 x1
link_vxcan a0 a1
link_vxcan b0 b1

check "wrong usage is reported and exits with 2" bad_arguments
check "wrong interfaces are reported and exit with 3" bad_interfaces
check "missing privileges are reported" no_privilege
check "requester and responder on one interface" one_interface
check "standard and extended identifiers, lengths, CAN FD" kinds
check "frames on the bus have the documented format" on_the_bus
check "200 pings in parallel, each answered 50 times" parallel
check "parallel pings do not wait for each other" parallel_at_once
check "pings keep the period" period_is_kept
check "the last ping is lost after the responder has exited" responder_ends
check "pings are lost after the responder was killed, and SIGINT prints the result" responder_killed
check "SIGINT prints the result as text, without loss" interrupted
check "an overloaded responder reports missed pings" responder_overrun
check "without a responder all pings are lost, and a hint is printed" no_responder
check "real-time priority and locked memory" real_time
check "text output" text_output

# Answers bypass faultbus, which does not receive frames that the gateway sends on a1.
cangw -A -s b1 -d a1 -f 300:700
responder far b0
far_pid=$responder_pid
check "dropped pings are lost" dropped
check "duplicated pings have two answers" duplicated
check "answers to swapped pings are late and reordered" swapped
check "answers after the timeout are late" late
check "the delay of a device is measured" delayed
check "changed answers are counted" changed
check "answers with a wrong number are unexpected" unexpected
ended "$far_pid" TERM

if slow_queue 2>/dev/null; then
	tc qdisc del dev x0 root
	check "pings are not sent while the queue stays full" queue_full
else
	skip "pings are not sent while the queue stays full" "no tc, or no sch_tbf"
fi
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "JSON matches the schema" all_keep_to_schema
else
	skip "JSON matches the schema" "Python has no jsonschema"
fi
check "requester and responder exit with 3 if the interface goes down" interface_goes_down
finish
