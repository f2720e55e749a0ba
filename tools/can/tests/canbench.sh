#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canbench-syscalls on vcan: every method measures, counts its frames, and reports lost ones.
# canbench-rules: the kernel has the requested rules. canbench-path: frames pass through the
# given interfaces. canbench-filters: all filters are set and removed. No figure is compared
# with an expected one.

# check() calls the functions below.
# shellcheck disable=SC2317
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

begin 42 "$@"
need_modules vcan can-raw
need_programs "$BIN/canbench-syscalls" "$BIN/canbench-rules" "$BIN/canbench-path" python3 chrt

bench=$BIN/canbench-syscalls
rules=$BIN/canbench-rules
path=$BIN/canbench-path
link_vcan vcan0
link_vcan vcan1
link_vcan classic0 16

# sent INTERFACE: number of frames that it has sent; /sys may be that of another namespace
sent() {
	local name numbers

	while IFS=: read -r name numbers; do
		[ "${name// /}" = "$1" ] || continue
		read -ra numbers <<<"$numbers"
		echo "${numbers[9]}"
		return
	done </proc/net/dev
	return 1
}

# moved INTERFACE FRAMES COMMAND...: the command succeeds, and the interface sends at least FRAMES
moved() {
	local interface=$1 least=$2 before

	shift 2
	before=$(sent "$interface")
	"$@" && [ $(($(sent "$interface") - before)) -ge "$least" ]
}

RX="['read', 'recv', 'recvmmsg-1', 'recvmmsg-7', 'rx-ring', 'rx-uring-1', 'rx-uring-7']"
TX="['write', 'sendmmsg-1', 'sendmmsg-7', 'tx-ring-1', 'tx-ring-7', 'tx-uring-1', 'tx-uring-7']"

# measured rx|tx REPEAT FRAMES OPTION...: all methods of a side, with a valid JSON result
measured() {
	local side=$1 repeat=$2 frames=$3 methods=$RX counts="'received': 7 * $2 * $3, 'sent': 0"

	shift 3
	if [ "$side" = tx ]; then
		methods=$TX
		counts="'received': 0, 'sent': 7 * $repeat * $frames"
	fi
	results=$((results + 1))
	"$bench" --json --method "$side" --batch 1,7 --repeat "$repeat" --frames "$frames" \
		--label "result $results" --load none "$@" vcan0 >"$WORK/result$results.out" &&
		json "result$results" "(r['label'] == 'result $results' and r['complete'] and
			r['options']['method'] == '$side' and r['counts'] == {$counts} and
			[s['name'] for s in r['series']] == [m for m in $methods for _ in range($repeat)] and
			all(s['frames'] == $frames and s['ns_per_frame'] > 0 for s in r['series']))"
}
results=0

check "receive side: every method, every repeat" measured rx 2 300
check "send side: every method, every repeat" measured tx 2 300
check "receive side: CAN FD" measured rx 1 200 --fd
check "send side: CAN FD" measured tx 1 200 --fd
check "send side without a receiver" measured tx 2 300 --no-delivery
check "fewer frames than a batch" measured rx 1 50
check "a single frame" measured tx 1 1

# A chunk has up to 16384 frames, so two are necessary, and the first one is also the warm-up.
check "more frames than a chunk" moved vcan0 36384 \
	"$bench" --method read --frames 20000 --repeat 1 vcan0

text() {
	run "$bench" --method read,sendmmsg --batch 4 --repeat 3 --frames 100 vcan0
	[ "$status" = 0 ] &&
		[[ $out =~ receive$'\n'\ +read(\ +[0-9]+\.[0-9]){3}\ +spread\ [0-9.]+\ %$'\n' ]] &&
		[[ $out =~ send$'\n'\ +sendmmsg-4(\ +[0-9]+\.[0-9]){3}\ +spread\ [0-9.]+\ %$ ]]
}
check "text output has every repeat and the spread" text

# Without CAP_NET_ADMIN, queues are short.
if command -v setpriv >/dev/null; then
	plain=(setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all)
	check "without privileges: short queues, many chunks" \
		moved vcan0 4000 "${plain[@]}" "$bench" --method read,write --frames 2000 --repeat 1 vcan0
	check "without privileges: packet sockets report CAP_NET_RAW" \
		expect 3 CAP_NET_RAW "${plain[@]}" "$bench" --method rx-ring vcan0
else
	skip "without privileges: short queues, many chunks" "setpriv is missing"
	skip "without privileges: packet sockets report CAP_NET_RAW" "setpriv is missing"
fi

# A second program sends until the first one has detected it.
disturbed() {
	start victim "$bench" --method "$1" --frames 1000 --repeat 1000 vcan0
	until_says victim "frames per figure" "$pid" || return
	while kill -0 "$pid" 2>/dev/null; do
		"$bench" --method write --frames 50 --repeat 1 vcan0 >/dev/null 2>&1 || :
	done
	ended "$pid" && [ "$status" = 1 ] && grep "another program uses" "$WORK/victim.err"
}
check "receive side: other traffic is detected" disturbed read
check "send side: other traffic is detected" disturbed write

# has_sent_on INTERFACE FRAMES: it has sent more than FRAMES frames
has_sent_on() {
	[ "$(sent "$1")" -gt "$2" ]
}

# The interface goes down during the measurement.
vanished() {
	local before

	before=$(sent vcan0)
	start victim "$bench" --method "$1" --frames 1000 --repeat 1000 vcan0
	until_true has_sent_on vcan0 $((before + 3000)) &&
		ip link set vcan0 down &&
		ended "$pid" && ip link set vcan0 up &&
		[ "$status" = 3 ] && grep "is down" "$WORK/victim.err"
}
check "receive side: exits if the interface goes down" vanished read
check "send side: exits if the interface goes down" vanished write

# After this number of frames, the probe of the method is complete and the measurement runs.
interrupted() {
	local before

	before=$(sent vcan0)
	start stopped "$bench" --json --method read --frames 1000000000 --repeat 2 vcan0
	until_true has_sent_on vcan0 $((before + 5000)) &&
		ended "$pid" INT && [ "$status" = 0 ] &&
		json stopped "not r['complete'] and r['series'] == []"
}
check "SIGINT: the result is marked as incomplete" interrupted

# After this number of frames, the second method is being measured.
interrupted_later() {
	local before

	before=$(sent vcan0)
	start later "$bench" --json --method read,recv --frames 100 --repeat 1000 vcan0
	until_true has_sent_on vcan0 $((before + 100500)) &&
		ended "$pid" INT && [ "$status" = 0 ] &&
		json later "(not r['complete'] and r['counts']['received'] == 100 * len(r['series']) and
			[s['name'] for s in r['series'][:1001]].count('read') == 1000)"
}
check "SIGINT: completed figures are in the result" interrupted_later

wrong_interfaces() {
	ip link add down0 type vcan &&
		expect 3 "interface nope0 does not exist" "$bench" nope0 &&
		expect 3 "lo is not a CAN interface" "$bench" lo &&
		expect 3 "down0 is down" "$bench" down0 &&
		expect 3 "classic0 does not support CAN FD frames" "$bench" --fd classic0
}
check "wrong interfaces are reported" wrong_interfaces

wrong_options() {
	expect 2 "interface is required" "$bench" &&
		expect 2 "unexpected argument 'x'" "$bench" vcan0 x &&
		expect 2 "unknown method 'raed'" "$bench" --method read,raed vcan0 &&
		expect 2 "--batch: 0 is out of bounds" "$bench" --batch 8,0 vcan0 &&
		expect 2 "--batch: '' is not a number" "$bench" --batch 8,,1 vcan0 &&
		expect 2 "--frames: 'many' is not a number" "$bench" --frames many vcan0 &&
		expect 2 "--repeat: 0 is out of bounds" "$bench" --repeat 0 vcan0 &&
		expect 2 "--id: '12' is not a CAN identifier" "$bench" --id 12 vcan0 &&
		expect 2 "unrecognized option" "$bench" --nope vcan0
}
check "wrong options are reported" wrong_options

list() {
	local method

	run "$bench" --list
	[ "$status" = 0 ] || return
	for method in read recv recvmmsg rx-ring rx-uring write sendmmsg tx-ring tx-uring; do
		grep -q "^  $method " "$WORK/run.out" || return
	done
}
check "--list has every method" list
check "--help" expect 0 "--no-delivery" "$bench" --help

# has_rules COUNT PATTERN...: there are COUNT gateway rules, and one that matches each pattern
has_rules() {
	local pattern

	# The exit status is not 0 even after success.
	cangw -L >"$WORK/rules" 2>&1 || :
	cat "$WORK/rules"
	[ "$(grep -c '^cangw -A' "$WORK/rules")" = "$1" ] || return
	shift
	for pattern; do
		grep -q -e "^cangw -A -s vcan0 -d vcan1 .*$pattern" "$WORK/rules" || return
	done
}

standard_rules() {
	"$rules" --count 300 --first 100 vcan0 vcan1 &&
		has_rules 300 "-f 100:C00007FF" "-f 200:C00007FF" "-f 22B:C00007FF"
}

# A rule with another filter remains.
deleted_rules() {
	"$rules" --count 300 --first 100 vcan0 vcan1 &&
		"$rules" --first 700 vcan0 vcan1 &&
		has_rules 301 "-f 700:C00007FF" &&
		"$rules" --count 300 --first 100 --delete vcan0 vcan1 &&
		has_rules 1 "-f 700:C00007FF"
}

masked_rules() {
	"$rules" --count 4 --first 00000010 --mask 800007FF --masks 3 vcan0 vcan1 &&
		has_rules 4 "-f 80000010:800007FF" "-f 80000011:80000FFF" \
			"-f 80000012:800017FF" "-f 80000013:800007FF" &&
		"$rules" --count 4 --first 00000010 --mask 800007FF --masks 3 --delete vcan0 vcan1 &&
		has_rules 0
}

no_such_rule() {
	"$rules" --count 2 --first 100 vcan0 vcan1 &&
		has_rules 2 &&
		expect 3 "rule 3 of 4: rule does not exist" \
			"$rules" --count 4 --first 100 --delete vcan0 vcan1 &&
		has_rules 0
}

wrong_rules() {
	expect 3 "interface nope0 does not exist" "$rules" vcan0 nope0 &&
		expect 3 "lo is not a CAN interface" "$rules" lo vcan0 &&
		expect 2 "SOURCE and DESTINATION" "$rules" vcan0 &&
		expect 2 "--count: 0 is out of bounds" "$rules" --count 0 vcan0 vcan1 &&
		expect 2 "only 2 identifiers are available" "$rules" --first 7FE --count 3 vcan0 vcan1 &&
		expect 2 "--mask: '7FG' is not" "$rules" --mask 7FG vcan0 vcan1 &&
		expect 2 "--mask: '123456789' is not" "$rules" --mask 123456789 vcan0 vcan1 &&
		expect 2 "unrecognized option" "$rules" --nope vcan0 vcan1 &&
		has_rules 0
}

# routed OPTION...: send 100 frames, and some before them, on vcan0; set frames to the number of
# frames that the rules sent on vcan1
routed() {
	local before

	before=$(sent vcan1)
	"$bench" --method write --frames 100 --repeat 1 "$@" vcan0 || return
	frames=$(($(sent vcan1) - before))
	echo "$frames frames were routed"
}

# Some frames are sent before the measured ones.
no_receiver() {
	"$rules" --first 123 vcan0 vcan1 &&
		routed --no-receiver && [ "$frames" -ge 200 ] &&
		routed --no-delivery && [ "$frames" -le 10 ]
}

identifiers() {
	"$rules" --first 456 vcan0 vcan1 &&
		"$rules" --first 12345678 --mask DFFFFFFF vcan0 vcan1 &&
		routed --no-receiver && [ "$frames" = 0 ] &&
		routed --no-receiver --id 457 && [ "$frames" = 0 ] &&
		routed --no-receiver --id 456 && [ "$frames" -ge 200 ] &&
		routed --no-receiver --id 12345678 && [ "$frames" -ge 200 ]
}

# with_gateway NAME COMMAND...: check() without rules; skipped without a gateway
with_gateway() {
	if [ -n "$no_gateway" ]; then
		skip "$1" "$no_gateway"
	else
		cangw -F >/dev/null || :
		check "$@"
	fi
}

no_gateway=
command -v cangw >/dev/null || no_gateway="cangw is missing"
modprobe -q can-gw || [ -d /sys/module/can_gw ] || no_gateway="no kernel module can-gw"

with_gateway "rules: one for each identifier" standard_rules
with_gateway "rules: --delete keeps other rules" deleted_rules
with_gateway "rules: distributed over masks" masked_rules
with_gateway "rules: a missing rule is reported" no_such_rule
with_gateway "rules: wrong usage is reported" wrong_rules
with_gateway "without a receiver, gateway rules receive the frames" no_receiver
with_gateway "frames have the identifier of --id" identifiers
if [ -n "${plain+x}" ]; then
	with_gateway "rules: a missing privilege is reported" \
		expect 3 CAP_NET_ADMIN "${plain[@]}" "$rules" vcan0 vcan1
else
	skip "rules: a missing privilege is reported" "setpriv is missing"
fi
check "rules: --help" expect 0 "--masks" "$rules" --help

link_vxcan vx0 vx1

# On one CPU, the shell must be able to preempt the threads of canbench-path.
chrt --fifo --pid 90 $$

# 100 frames are measured, after 11 unmeasured ones.
from_to() {
	local before

	before=$(sent "$1")
	"$path" --json --count 100 --id "$3" --label "$1 to $2" "$1" "$2" >"$WORK/result-$1.out" &&
		[ $(($(sent "$1") - before)) = 111 ] &&
		json "result-$1" "(r['complete'] and
			r['counts'] == {'sent': 100, 'received': 100, 'lost': 0} and
			r['options']['id'] == '$3' and r['label'] == '$1 to $2' and
			len(r['series']) == 3 and all(s['count'] == 100 for s in r['series']) and
			0 < series['write to reader']['min_ns'] and all(
				series['write to reader'][x] >= max(series[part][x] for part in
					('write to time stamp', 'time stamp to reader'))
				for x in ('min_ns', 'median_ns', 'max_ns')))"
}
check "path: between the ends of a vxcan pair" from_to vx0 vx1 12345678
check "path: on a vcan interface" from_to vcan0 vcan0 321

path_text() {
	run "$path" --count 20 vx1 vx0 &&
		[ "$status" = 0 ] &&
		[[ $out =~ ^'vx1 to vx0: 20 frames sent, 20 received'$'\n' ]] &&
		[ "$(grep -cE 'median +[0-9]+ ns, 99 % +[0-9]+ ns, worst +[0-9]+ ns' "$WORK/run.out")" = 3 ]
}
check "path: text output" path_text

# The program waits for 20 seconds.
path_lost() {
	run "$path" --json --count 2 vcan0 vcan1
	cp "$WORK/run.out" "$WORK/result-lost.out"
	[ "$status" = 1 ] && grep "a frame did not arrive" "$WORK/run.err" &&
		json result-lost "(r['counts'] == {'sent': 1, 'received': 0, 'lost': 1} and
			not r['complete'] and [s['count'] for s in r['series']] == [0, 0, 0])"
}
check "path: a lost frame is reported" path_lost

path_interrupted() {
	local before

	before=$(sent vx0)
	start stopped "$path" --json --count 100000 vx0 vx1
	until_true has_sent_on vx0 $((before + 10100)) &&
		ended "$pid" INT && [ "$status" = 0 ] &&
		json stopped "(not r['complete'] and 0 < r['counts']['received'] < 100000 and
			r['counts']['sent'] == r['counts']['received'] == r['series'][0]['count'])"
}

# Another program sends the same identifier, with the priority of the shell.
path_disturbed() {
	local before

	before=$(sent vx0)
	start victim "$path" --count 100000 vx0 vx1
	until_true has_sent_on vx0 $((before + 10100)) &&
		"$bench" --method write --no-receiver --frames 1 --repeat 1 vx0
	ended "$pid" INT && [ "$status" = 1 ] && grep "another node uses the identifier" "$WORK/victim.err"
}
check "path: SIGINT: the result is marked as incomplete" path_interrupted
check "path: frames of other nodes are detected" path_disturbed

wrong_path() {
	expect 3 "interface nope0 does not exist" "$path" vcan0 nope0 &&
		expect 3 "down0 is down" "$path" down0 vcan0 &&
		expect 2 "FROM and TO" "$path" vcan0 &&
		expect 2 "--length: 9 is out of bounds" "$path" --length 9 vcan0 vcan1 &&
		expect 2 "--id: '1' is not a CAN identifier" "$path" --id 1 vcan0 vcan1 &&
		expect 2 "unrecognized option" "$path" --nope vcan0 vcan1
}
check "path: wrong usage is reported" wrong_path
check "path: --help" expect 0 "CAP_SYS_NICE" "$path" --help

chrt --other --pid 0 $$

filters=$BIN/canbench-filters

# most_entries: maximum number of receive filters in this namespace, from the kernel
most_entries() {
	sed -n 's/^ *\([0-9]*\) maximum receive list entries.*/\1/p' /proc/net/can/stats
}

all_filters() {
	local before

	before=$(most_entries)
	results=$((results + 1))
	"$filters" --json --sockets 3 --count 500 vcan0 >"$WORK/result$results.out" &&
		echo "most filters: $before, then $(most_entries)" &&
		[ "$before" -lt 1500 ] && [ "$(most_entries)" = 1500 ] &&
		json "result$results" "(r['complete'] and len(series) == 6 and
			all(s['ns_per_frame'] > 0 for s in r['series']))" &&
		! grep -q 'vcan0.*raw' /proc/net/can/rcvlist_fil
}
check "filters: all are set and removed" all_filters

wrong_filters() {
	expect 3 "interface nope0 does not exist" "$filters" nope0 &&
		expect 2 "interface is required" "$filters" &&
		expect 2 "--count: 513 is out of bounds" "$filters" --count 513 vcan0 &&
		expect 2 "--mask: '0x7FF' is not" "$filters" --mask 0x7FF vcan0 &&
		expect 2 "only 256 identifiers are available" "$filters" --first 700 --sockets 1 vcan0 &&
		expect 2 "unrecognized option" "$filters" --nope vcan0
}
check "filters: wrong usage is reported" wrong_filters
check "filters: --help" expect 0 "the oldest" "$filters" --help

in_schema() {
	python3 - "$TESTS/../result.schema.json" "$WORK"/result*.out <<-'PY'
		import json, sys
		import jsonschema
		with open(sys.argv[1], encoding="utf-8") as f:
		    checker = jsonschema.Draft202012Validator(json.load(f))
		for name in sys.argv[2:]:
		    with open(name, encoding="utf-8") as f:
		        checker.validate(json.load(f))
	PY
}
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "results match the schema" in_schema
else
	skip "results match the schema" "python3-jsonschema is missing"
fi

finish
