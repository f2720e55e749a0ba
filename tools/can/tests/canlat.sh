#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canlat with devices whose faults are known: faultbus, which delays, drops, duplicates and
# swaps frames, and the kernel's gateway.
#
# All programs run on one CPU, because virtual interfaces keep the order of frames per CPU only.
#
# The measurements are compared with the log of faultbus (--log), frame by frame. For each
# frame, it contains the kernel timestamp of its reception, which canlat also gets, and the
# times before and after it was sent. So each latency has an upper and a lower bound, which do
# not depend on the speed of the host. The delay of faultbus is an exact lower bound.

# promise() calls the functions below.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Long enough that a pause of the host causes no loss. Each run takes at least this time,
# because canlat waits for copies at its end.
TIMEOUT=${TIMEOUT:-5s}

# device FROM TO [OPTION...]: faultbus between two interfaces
device() {
	local from=$1 to=$2

	shift 2
	# The "ready" of an earlier instance must not match.
	rm -f "$WORK/device.out"
	start device "$HELPERS/faultbus" --log "$WORK/log" "$@" "$from" "$to"
	device_pid=$pid
	until_says device ready "$device_pid"
}

# device_ends: faultbus exits with 0, and has sent all frames that it did not drop
device_ends() {
	ended "$device_pid" TERM && [ "$status" = 0 ] &&
		device_did missed 0 && device_did waiting 0
}

# counter NAME: counter of faultbus
counter() {
	sed -n "s/.* $1 \([0-9]*\).*/\1/p" "$WORK/device.out"
}

# device_did NAME N: the counter of faultbus is N
device_did() {
	local n

	n=$(counter "$1")
	echo "faultbus: $1 $n, wanted $2"
	[ "$n" = "$2" ]
}

# hear N IF[,ID:MASK]: record the next N frames on an interface with candump -L
hear() {
	local on=${2%%,*} before

	before=$(listeners "$on")
	start heard candump -L -n "$1" "$2"
	heard_pid=$pid
	until_true more_listeners "$before" "$on"
}

# listeners IF: number of sockets that receive all frames, or have a filter with a mask
listeners() {
	cat /proc/net/can/rcvlist_all /proc/net/can/rcvlist_fil | grep -cE "^ +$1 " || true
}

more_listeners() {
	[ "$(listeners "$2")" -gt "$1" ]
}

# heard: wait for all frames; $WORK/frames then has them without time and interface
heard() {
	ended "$heard_pid" && sed 's/.* //' "$WORK/heard.out" >"$WORK/frames"
}

# canlat STATUS [OPTION...]: run canlat from vcan0 to vcan1, with JSON in run.out
canlat() {
	local wanted=$1

	shift
	run "$BIN/canlat" --tx vcan0 --rx vcan1 --timeout "$TIMEOUT" --json \
		--raw "$WORK/raw" "$@"
	echo "status $status, wanted $wanted: $err"
	[ "$status" = "$wanted" ] && keep run
}

# keep NAME: keep the JSON object in NAME.out for the test of the schema
keep() {
	cp "$WORK/$1.out" "$WORK/kept-$((++kept)).out"
}

# background [OPTION...]: start canlat without a limit, and wait until it sends
background() {
	hear 1 vcan0 &&
		start measure "$BIN/canlat" --tx vcan0 --rx vcan1 --json --timeout 60s "$@" &&
		measure_pid=$pid && heard
}

# result_is EXPRESSION: the Python expression is true, see json in lib.sh; c: counts, o: options,
# s: latency series
result_is() {
	json run "(lambda r, c, o, s: $1)(r, r['counts'], r['options'], series['latency'])"
}

# intact N: N frames were sent, and none was lost, reordered or duplicated
intact() {
	result_is "c['sent'] == c['received'] == s['count'] == $1 and r['complete'] and
		sum(c.values()) - c['late'] == 2 * $1"
}

# raw EXPRESSION: the Python expression is true. f: list of frames in the raw file, with seq,
# bus, rx and latency (None if there is none). d: log of faultbus for each sent frame, with
# came, before and after
raw() {
	python3 - "$WORK/raw" "$WORK/log" "$1" <<-'PY'
		import collections, sys
		Frame = collections.namedtuple("Frame", "seq bus rx latency")
		Done = collections.namedtuple("Done", "came before after")
		f, d = [], {}
		for line in open(sys.argv[1], encoding="utf-8"):
		    if not line.startswith("#"):
		        f.append(Frame(*(None if x == "-" else int(x) for x in line.split())))
		for line in open(sys.argv[2], encoding="utf-8"):
		    number, *times = map(int, line.split())
		    d.setdefault(number - 1, Done(*times))	# the first copy
		if not f or not eval("(" + sys.argv[3] + ")", {"f": f, "d": d}):
		    sys.exit("not true: %s\n%s\n%s" % (sys.argv[3], f, d))
	PY
}

# The raw data of each frame matches the log of faultbus.
TRUE="[x.seq for x in f if x.rx] == sorted(d) and all(x.latency is None if x.seq not in d else
	x.bus == d[x.seq].came and d[x.seq].before <= x.rx <= d[x.seq].after and
	x.latency == x.rx - x.bus for x in f)"

# summarised: summary and profile match the raw latencies
summarised() {
	python3 - "$WORK/raw" "$WORK/run.out" <<-'PY'
		import json, sys
		lines = [x.split() for x in open(sys.argv[1], encoding="utf-8") if x[0] != "#"]
		ns = sorted(int(x[3]) for x in lines if x[3] != "-")
		got, = json.load(open(sys.argv[2], encoding="utf-8"))["series"]
		want = {"min_ns": ns[0], "max_ns": ns[-1], "count": len(ns),
		        "profile": [[x, sum(y >= x for y in ns)] for x in sorted(set(ns))]}
		for name, share in ("median_ns", 500), ("p99_ns", 990), ("p999_ns", 999):
		    want[name] = ns[-(-len(ns) * share // 1000) - 1]
		got = {name: got[name] for name in want}
		if got != want:
		    sys.exit("summary is %s, expected %s" % (got, want))
	PY
}

# promise NAME COMMAND...: like check, but also clean up after a failed test
promise() {
	local left

	check "$@"
	for left in $(jobs -p); do
		kill -KILL "$left" 2>/dev/null || true
		wait "$left" 2>/dev/null || true
	done
	[ -z "$gateway" ] || cangw -F 2>/dev/null || true
}

##############################################################################
# A known delay

# measures_delay MS [OPTION...]
measures_delay() {
	local ms=$1

	shift
	device vcan0 vcan1 --delay "${ms}ms" &&
		canlat 0 --count 40 "$@" && device_ends && intact 40 && raw "$TRUE" &&
		raw "[x.seq for x in f] == list(range(40)) and
			all(x.latency >= $ms * 1000000 for x in f)" && summarised &&
		result_is "o['clock'] == 'kernel' and o['timeout_ns'] == ${TIMEOUT%s} * 10**9"
}

##############################################################################
# Known faults

lost_in_turns() {
	device vcan0 vcan1 --drop 3 &&
		canlat 1 --count 4 && device_ends && device_did dropped 1 &&
		result_is "c['sent'] == 4 and c['lost'] == 1 and c['received'] == 3" &&
		raw "$TRUE" && raw "all((x.rx == 0) == (x.seq % 3 == 2) for x in f)"
}

dropped() {
	device vcan0 vcan1 --drop 7 &&
		canlat 1 --count 100 --period 1ms && device_ends && device_did dropped 14 &&
		result_is "c['sent'] == 100 and c['lost'] == 14 and c['received'] == 86 and
			s['count'] == 86 and c['reordered'] == c['duplicated'] == 0" &&
		raw "$TRUE" && raw "all((x.rx == 0) == (x.seq % 7 == 6) for x in f)"
}

duplicated() {
	device vcan0 vcan1 --duplicate 5 &&
		canlat 1 --count 100 --period 1ms && device_ends && device_did duplicated 20 &&
		result_is "c['received'] == 100 and c['duplicated'] == 20 and
			s['count'] == 100 and
			c['lost'] == c['reordered'] == c['unexpected'] == 0" &&
		raw "$TRUE"
}

reordered() {
	device vcan0 vcan1 --swap 10 &&
		canlat 1 --count 105 --period 1ms && device_ends && device_did swapped 10 &&
		result_is "c['received'] == 105 and c['reordered'] == 10 and
			c['lost'] == c['duplicated'] == c['unexpected'] == 0" && raw "$TRUE" &&
		raw "all((a.rx > b.rx) == (a.seq % 10 == 9) for a, b in zip(f, f[1:]))"
}

all_faults() {
	device vcan0 vcan1 --drop 7 --duplicate 5 --swap 4 --delay 50ms &&
		canlat 1 --count 202 --period 1ms && device_ends &&
		device_did received 202 && [ "$(counter dropped)" -gt 0 ] &&
		[ "$(counter duplicated)" -gt 0 ] && [ "$(counter swapped)" -gt 0 ] &&
		result_is "c['lost'] == $(counter dropped) and
			c['duplicated'] == $(counter duplicated) and
			c['reordered'] == $(counter swapped) and
			c['received'] == 202 - c['lost'] and c['unexpected'] == 0 and
			s['min_ns'] >= 50000000" && raw "$TRUE" && summarised
}

# The timestamps decide, even if canlat reads the frames late.
too_late() {
	device vcan0 vcan1 --delay 1s &&
		canlat 1 --count 3 --timeout 200ms --period 300ms &&
		ended "$device_pid" TERM &&
		result_is "c['lost'] == 3 and c['received'] == s['count'] == 0"
}

no_device() {
	canlat 1 --count 3 --period 1ms --timeout 200ms &&
		result_is "c['sent'] == c['lost'] == 3 and s['profile'] == []"
}

# One frame is too short for a number and passes through the device; the other one has a number
# that is not in use.
foreign() {
	device vcan0 vcan1 && background --count 0 --period 50ms &&
		hear 2 vcan1,123:7FF &&
		cansend vcan0 123#00 && cansend vcan1 123#FFFF && heard &&
		ended "$measure_pid" INT && [ "$status" = 0 ] && ended "$device_pid" TERM &&
		keep measure &&
		json measure "(lambda c: c['sent'] == c['received'] + c['pending'] and
			c['unexpected'] == 2 and r['complete'])(r['counts'])"
}

##############################################################################
# Traffic

# The next frame is sent when the last one was received.
pattern_one() {
	device vcan0 vcan1 --delay 20ms &&
		canlat 0 --count 30 && device_ends && intact 30 &&
		raw "all(a.rx < b.bus for a, b in zip(f, f[1:]))" &&
		result_is "o['traffic'] == 'one'"
}

# in_step N NS: N frames did not wait for each other, and took at least N - 1 times NS; late
# frames make it longer
in_step() {
	raw "len(f) == $1 and f[-1].bus - f[0].bus >= ($1 - 1) * $2 and
		any(b.bus < a.rx for a, b in zip(f, f[1:]))"
}

pattern_periodic() {
	device vcan0 vcan1 --delay 1s &&
		canlat 0 --count 50 --period 10ms && device_ends && in_step 50 10000000 &&
		result_is "c['received'] == 50 and o['traffic'] == 'periodic' and
			o['period_ns'] == 10000000"
}

# 8 bytes at 10 kbit/s are at least 108 bits of 100 us, and an equal pause.
pattern_half() {
	device vcan0 vcan1 --delay 1s &&
		canlat 0 --count 30 --traffic half --bitrate 10000 && device_ends &&
		in_step 30 $((2 * 108 * 100000)) &&
		result_is "c['received'] == 30 and o['bitrate'] == 10000"
}

# All frames were sent before the first one was received.
pattern_flood() {
	device vcan0 vcan1 --delay 3s &&
		canlat 0 --count 200 --traffic flood && device_ends && intact 200 &&
		raw "f[-1].bus < f[0].rx" && result_is "o['traffic'] == 'flood'"
}

# A queue of 10 frames before a bus with 500 frames/s: although it is full, no frame is lost, and
# the time in the queue is not part of the latency.
slow_queue() {
	tc qdisc add dev bus0 root tbf rate 64kbit burst 32 limit 160
}

full_queue() {
	slow_queue &&
		device bus1 vcan1 &&
		canlat 0 --tx bus0 --bus bus1 --traffic flood --count 100 && device_ends &&
		intact 100 && raw "$TRUE" &&
		prints "dropped [1-9]" tc -s qdisc show dev bus0 && tc qdisc del dev bus0 root
}

# different SEPARATOR N: the frames have N different pairs of identifier and length
different() {
	[ "$(awk -F"$1" '{ print $1, length($2) }' "$WORK/frames" | sort -u | wc -l)" = "$2" ]
}

# 18 identifiers in turn, each with 7 lengths
classic_frames() {
	hear 126 vcan1 && device vcan0 vcan1 &&
		canlat 0 --count 126 --period 1ms --id 100-111 --length 2-8 && device_ends &&
		heard && intact 126 && head -n 1 "$WORK/frames" | grep -x "100#0000" &&
		tail -n 1 "$WORK/frames" | grep -x "111#007D555555555555" &&
		different "#" 126 &&
		result_is "o['first_id'] == '100' and o['last_id'] == '111' and
			o['min_length'] == 2 and o['max_length'] == 8 and o['kind'] == 'sff'"
}

extended_frames() {
	hear 3 vcan1 && device vcan0 vcan1 &&
		canlat 0 --count 3 --kind eff --id 00000400-1FFFFFFF --length 3 --fill 0xA1 &&
		device_ends && heard && intact 3 &&
		printf '%s\n' '00000400#0000A1' '00000401#0001A1' '00000402#0002A1' |
			diff - "$WORK/frames" && result_is "o['kind'] == 'eff'"
}

# Both identifiers with each of the 14 lengths from 2 to 64; bit 0 of the digit after ## is BRS.
fd_frames() {
	hear 60 vcan1 && device vcan0 vcan1 &&
		canlat 0 --count 60 --period 1ms --kind fd --brs --length 2-64 \
			--id 7FE-7FF && device_ends && heard && intact 60 && raw "$TRUE" &&
		[ "$(grep -c '^7F[EF]##[1357]' "$WORK/frames")" = 60 ] &&
		different "##" 28 &&
		grep -Ex '7FF##.001B(55){62}' "$WORK/frames" &&
		result_is "o['kind'] == 'fd' and o['max_length'] == 64"
}

fd_rejected() {
	expect 3 "does not support CAN FD frames" "$BIN/canlat" --tx narrow --rx vcan1 --kind fd
}

##############################################################################
# Interfaces and clocks

# Frames sent on one end of a vxcan pair are received on the other, as on a real bus.
three_interfaces() {
	device bus1 vcan1 --delay 30ms &&
		canlat 0 --tx bus0 --bus bus1 --count 40 --period 2ms && device_ends &&
		intact 40 && raw "$TRUE" &&
		result_is "s['min_ns'] >= 30000000 and o['bus'] == 'bus1'"
}

# With a device, frames are received that were not heard; without it, none is received.
wrong_bus() {
	device vcan0 vcan1 &&
		canlat 3 --bus bus0 --count 3 && device_ends &&
		result_is "c['received'] == c['untimed'] == 3 and s['count'] == 0" &&
		[[ $err == *"no frame received on bus0"* ]] &&
		canlat 1 --bus bus0 --count 3 --timeout 200ms &&
		result_is "c['unheard'] == c['sent'] == 3 and c['lost'] == 0" &&
		[[ $err == *"no frame was transmitted"* ]]
}

# 108 to 135 bits of 100 us: 8 bytes with any number of stuff bits.
frame_subtracted() {
	device vcan0 vcan1 --delay 50ms &&
		canlat 0 --count 20 --period 5ms --subtract-frame --rx-bitrate 10000 &&
		device_ends && result_is "o['rx_bitrate'] == 10000 and c['received'] == 20" &&
		raw "all(x.rx - x.bus - x.latency in range(10800000, 13500001, 100000)
			for x in f)" &&
		summarised
}

##############################################################################
# The kernel's gateway

# The gateway changes identifier, length and all data except for the number.
all_changed() {
	hear 1 vcan1 &&
		cangw -A -s vcan0 -d vcan1 -e -m SET:IL:5A5.4.0000000000000000 \
			-m XOR:D:000.0.0000FFFFFFFFFFFF &&
		canlat 0 --count 50 --id 100-1FF && heard && intact 50 &&
		grep -x "5A5#0000AAAA" "$WORK/frames"
}

# More frames than numbers. A number is free after its timeout, for which a fast host must wait.
numbers_wrap() {
	cangw -A -s vcan0 -d vcan1 -e &&
		canlat 0 --count 70000 --traffic flood &&
		result_is "c['sent'] == c['received'] == s['count'] == 70000 and
			c['reordered'] == c['duplicated'] == c['unexpected'] == 0"
}

##############################################################################
# Results

text_result() {
	device vcan0 vcan1 --drop 10 &&
		run "$BIN/canlat" --tx vcan0 --rx vcan1 --count 20 --period 1ms \
			--timeout "$TIMEOUT" --profile=10us && echo "$out" &&
		[ "$status" = 1 ] && device_ends && grep -q "^#  *20  frames sent$" <<<"$out" &&
		grep -q "^#  *18  received" <<<"$out" && grep -q "^#  *2  lost" <<<"$out" &&
		grep -q "^# latency of 18 frames" <<<"$out" &&
		profile_in_steps_of_10 <<<"$out"
}

# From minimum to maximum in whole steps: times ascend, numbers descend from 18.
profile_in_steps_of_10() {
	awk '
		/^#.* minimum$/ { min = $2 }
		/^#.* maximum$/ { max = $2 }
		/^#/ { next }
		!points++ { bad += $2 != 18 || $1 > min || $1 <= min - 10; us = -1; n = 19 }
		{ bad += NF != 2 || $1 % 10 || $1 <= us || $2 >= n || $2 < 1; us = $1; n = $2 }
		END { exit bad || !points || us > max || us <= max - 10 }'
}

# stopped_by SIGNAL: some frames are measured, and the result is not complete
stopped_by() {
	hear 10 vcan1 && seen=$heard_pid && device vcan0 vcan1 &&
		start measure "$BIN/canlat" --tx vcan0 --rx vcan1 --json --count 1000000 \
			--timeout 60s --period 5ms --label "cut short" --load none &&
		measure_pid=$pid &&
		ended "$seen" && ended "$measure_pid" "$1" && [ "$status" = 0 ] &&
		ended "$device_pid" TERM && keep measure &&
		json measure "(lambda c: not r['complete'] and r['label'] == 'cut short' and
			1000000 > c['sent'] == c['received'] + c['pending'] and
			c['received'] >= 10 and c['lost'] == 0)(r['counts'])"
}

# The result is printed although the raw file cannot be written.
full_disk() {
	device vcan0 vcan1 && canlat 3 --count 5 --raw /dev/full && device_ends && intact 5 &&
		[[ $err == *"--raw: writing /dev/full"* ]]
}

real_time() {
	background --count 0 --period 50ms --priority 50 --lock-memory &&
		chrt -p "$measure_pid" | grep "SCHED_FIFO" &&
		chrt -p "$measure_pid" | grep "priority: 50" &&
		grep -E "VmLck:[[:space:]]+[1-9]" "/proc/$measure_pid/status" &&
		ended "$measure_pid" INT && keep measure &&
		json measure "(lambda o: o['priority'] == 50 and o['lock_memory'] and
			r['complete'])(r['options'])"
}

# The results of all tests so far: with latencies, without them, and interrupted ones
schema() {
	local i

	[ "$kept" -gt 20 ] || return
	for ((i = 1; i <= kept; i++)); do
		[ "$i" = 1 ] || printf '%s\n' ,
		cat "$WORK/kept-$i.out"
	done >"$WORK/kept"
	python3 - "$TESTS/../result.schema.json" "$WORK/kept" <<-'PY'
		import json, sys
		import jsonschema
		with open(sys.argv[1], encoding="utf-8") as f:
		    checker = jsonschema.Draft202012Validator(json.load(f))
		with open(sys.argv[2], encoding="utf-8") as f:
		    results = json.loads("[" + f.read() + "]")
		for result in results:
		    checker.validate(result)
		states = {(bool(r["series"][0]["count"]), r["complete"]) for r in results}
		if not {(True, True), (False, True), (True, False)} <= states:
		    sys.exit("not all kinds of results: %s" % states)
	PY
}

##############################################################################
# Rejected command lines

# rejects STATUS TEXT OPTION...: canlat exits with STATUS and TEXT, without a result
rejects() {
	expect "$1" "$2" "$BIN/canlat" "${@:3}" || return
	[ -z "$out" ]
}

bad_options() {
	local both=(--tx vcan0 --rx vcan1)

	rejects 2 "--tx is required" --rx vcan1 &&
		rejects 2 "--rx is required" --tx vcan0 &&
		rejects 2 "vcan0 must not be the interface" --tx vcan0 --rx vcan0 &&
		rejects 2 "vcan1 must not be the interface" "${both[@]}" --bus vcan1 &&
		rejects 2 "unknown or ambiguous option --nonsense" "${both[@]}" --nonsense &&
		rejects 2 "unknown option -Z" "${both[@]}" -Z &&
		rejects 2 "--count requires a value" "${both[@]}" --count &&
		rejects 2 "--json does not take a value" "${both[@]}" --json=1 &&
		rejects 2 "unexpected argument 'more'" "${both[@]}" more &&
		rejects 2 "--traffic: unknown value 'burst'" "${both[@]}" --traffic burst &&
		rejects 2 "--traffic periodic requires --period" "${both[@]}" --traffic periodic &&
		rejects 2 "--period is only valid with" "${both[@]}" --traffic one --period 1ms &&
		rejects 2 "--period" "${both[@]}" --period 5 &&
		rejects 2 "--kind: unknown value 'xl'" "${both[@]}" --kind xl &&
		rejects 2 "--id" "${both[@]}" --id 800 &&
		rejects 2 "range is empty" "${both[@]}" --id 200-100 &&
		rejects 2 "mixes standard and extended" "${both[@]}" --id 100-00000200 &&
		rejects 2 "with 3 digits" "${both[@]}" --kind sff --id 00000100 &&
		rejects 2 "with 8 digits" "${both[@]}" --kind eff --id 100 &&
		rejects 2 "requires 2 to 8" "${both[@]}" --length 1 &&
		rejects 2 "requires 2 to 8" "${both[@]}" --length 2-9 &&
		rejects 2 "12, 16" "${both[@]}" --kind fd --length 13 &&
		rejects 2 "--brs" "${both[@]}" --brs &&
		rejects 2 "--fill" "${both[@]}" --fill 256 &&
		rejects 2 "vcan0 has no bit rate, --bitrate is required" "${both[@]}" --traffic half &&
		rejects 2 "vcan1 has no bit rate, --rx-bitrate is required" "${both[@]}" --subtract-frame &&
		rejects 2 "N:N" "${both[@]}" --traffic half --kind fd --brs --bitrate 500000 &&
		rejects 2 "--rx-bitrate is only valid with" "${both[@]}" --rx-bitrate 500000 &&
		rejects 2 "--timeout" "${both[@]}" --timeout 0 &&
		rejects 2 "--priority" "${both[@]}" --priority 100 &&
		rejects 2 "vcan0 does not support hardware timestamps" "${both[@]}" --clock hardware
}

bad_interfaces() {
	rejects 3 "interface nowhere does not exist" --tx nowhere --rx vcan1 &&
		rejects 3 "interface nowhere does not exist" --tx vcan0 --rx nowhere &&
		rejects 3 "interface nowhere does not exist" --tx vcan0 --bus nowhere --rx vcan1 &&
		rejects 3 "lo is not a CAN interface" --tx lo --rx vcan1 &&
		rejects 3 "down0 is down" --tx vcan0 --rx down0 &&
		rejects 3 "--raw" --tx vcan0 --rx vcan1 --raw "$WORK/missing/file"
}

no_privilege() {
	expect 3 "CAP_SYS_NICE" setpriv --reuid=65534 --regid=65534 --clear-groups \
		--inh-caps=-all --bounding-set=-all "$BIN/canlat" \
		--tx vcan0 --rx vcan1 --priority 50
}

help() {
	expect 0 "usage: canlat" "$BIN/canlat" --help
}

##############################################################################

begin 34 "$@"
need_programs "$BIN/canlat" "$HELPERS/faultbus" candump cansend chrt setpriv taskset python3
need_modules vcan vxcan can-raw
one_cpu
kept=0
gateway=
! command -v cangw >/dev/null || ! modprobe -q can-gw || gateway=yes

link_vcan vcan0
link_vcan vcan1
link_vxcan bus0 bus1
link_vcan narrow 16
ip link add down0 type vcan

promise "a delay of 100 ms is measured, one frame at a time" measures_delay 100
promise "a delay of 150 ms is measured, with 75 frames in flight" \
	measures_delay 150 --period 2ms
promise "after a lost frame the next one is sent" lost_in_turns
promise "exactly the dropped frames are lost" dropped
promise "the number of duplicated frames is exact" duplicated
promise "the number of reordered frames is exact" reordered
promise "dropped, duplicated and reordered frames are counted separately" all_faults
promise "a frame that is received after its timeout is lost" too_late
promise "without a device every frame is lost" no_device
promise "frames of other senders are unexpected" foreign
promise "traffic: one at a time" pattern_one
promise "traffic: a fixed period" pattern_periodic
promise "traffic: 50 % load" pattern_half
promise "traffic: flood" pattern_flood
name="traffic: flood, with a full interface queue"
if slow_queue 2>/dev/null; then
	tc qdisc del dev bus0 root
	promise "$name" full_queue
	tc qdisc del dev bus0 root 2>/dev/null || true
else
	skip "$name" "no tc, or no sch_tbf"
fi
promise "standard frames with ranges of identifiers and lengths" classic_frames
promise "extended frames" extended_frames
promise "CAN FD frames with all lengths" fd_frames
promise "CAN FD frames require an interface with CAN FD" fd_rejected
promise "three interfaces: --bus takes the transmission time" three_interfaces
promise "an interface of --bus on another bus is reported" wrong_bus
promise "the duration of the frame is subtracted" frame_subtracted
if [ -n "$gateway" ]; then
	promise "identifier, length and data may change in the device" all_changed
	promise "more frames than numbers" numbers_wrap
else
	skip "identifier, length and data may change in the device" "cangw or can-gw is missing"
	skip "more frames than numbers" "cangw or can-gw is missing"
fi
promise "text output with latency profile" text_result
promise "SIGINT prints the incomplete result" stopped_by INT
promise "SIGTERM prints the incomplete result" stopped_by TERM
promise "a full disk for --raw does not prevent the result" full_disk
promise "real-time priority and locked memory" real_time
if python3 -c 'import jsonschema' 2>/dev/null; then
	promise "all results match the schema" schema
else
	skip "all results match the schema" "Python has no jsonschema"
fi
promise "wrong options are rejected with the reason" bad_options
promise "wrong interfaces are rejected with the reason" bad_interfaces
promise "a missing privilege is reported" no_privilege
promise "--help prints the usage" help
finish
