#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canroute and the kernel: rules are added, replaced, loaded, saved and monitored, by
# canroute and by cangw. Takes a minute in an emulated VM.
#
# check calls the functions below.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin 54 "$@"
need_modules vcan can-raw can-gw
need_programs "$BIN/canroute" cangw cansend setpriv python3
run "$BIN/canroute" table
[ "$status" = 0 ] || skip_all "the gateway has no netlink family can-gw"

UNPRIVILEGED=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all
	--inh-caps -all)

# rules FILE: write the current rules to FILE, one per line
rules() {
	canroute save >"$WORK/$1"
}

# handle_of NAME: handle of the rule with this name
handle_of() {
	canroute list --name "$1" | awk 'NR == 2 { print $1 }'
}

# events EXPRESSION: the Python expression is true; r is the list of the monitor's lines in $WORK/watch.out
events() {
	python3 - "$WORK/watch.out" "$1" <<-'PY'
		import json, sys
		with open(sys.argv[1], encoding="utf-8") as f:
		    r = [json.loads(line) for line in f]
		if not eval("(" + sys.argv[2] + ")", {"r": r}):
		    sys.exit("not true: %s\n%s" % (sys.argv[2], json.dumps(r, indent=1)))
	PY
}

# Rules as cangw shows them. Its exit status is not usable.
cangw_list() {
	cangw -L || true
}

# forty FIRST: 40 rules for the identifiers from FIRST on
forty() {
	local id

	for id in {0..39}; do
		printf 'from can0 to can1 name rule%d id %03X set id=%03X\n' "$id" \
			$(($1 + id)) $((id + 0x400))
	done
}

# Rules with every keyword and option.
full() {
	local zeroes

	zeroes=$(printf '%0512d' 0)
	cat <<-FILE
		# a comment
		from can0 to can1 name "two words" id 123 echo keep-time return
		from can0 to can1 frames fd not id 12345678 hop-limit 1 uid 5A set len=12

		from can1 to can2 and id=7FF data=F0*8 or id=001 len=1 xor data=01 set len=8
		from can2 to can0 frames fd set id=123 len=64 flags=01 data=11.22*63
		from can0 to can1 \\
		    set data[2]=AA \\
		    crc8 0..6 at 7 poly 1D init FF final FF profile 16u8 00112233445566778899AABBCCDDEEFF
		from can0 to can1 set len=8 crc8 0..-2 at -1 poly 31 reflected profile 1u8 2A
		from can0 to can1 set len=8 crc8 0..6 at 7 table 00*255.01 profile sffid-xor
		from can0 to can1 set len=8 xor-checksum 0..-2 at -1 init 5A
		-s can0 -d can1 -f 123:7FF -m SET:ILD:333.4.1122334455667788 -x 0:6:7:1A
		cangw -A -s can0 -d can1 -m AND:I:7FF.0.0000000000000000 -c 0:6:7:FF:A:$zeroes -p 3:
	FILE
}

adds() {
	local handle

	handle=$(canroute add from can0 to can1 id 123 name first) && [ "$handle" -gt 0 ] &&
		in_force "from can0 to can1 name first id 123" &&
		[ "$(handle_of first)" = "$handle" ] &&
		prints "^ *$handle  first  can0  can1  cc " canroute list "$handle"
}

adds_line() {
	canroute add "from can0 to can1 name \"two words\" # comment" &&
		in_force 'from can0 to can1 name "two words"'
}

adds_cangw() {
	canroute add -s can0 -d can1 -e -f 123:C00007FF -m SET:IL:333.4.1122334455667788 &&
		in_force "from can0 to can1 id 123 echo set id=333 len=4"
}

adds_what_it_lists() {
	full >"$WORK/full" && canroute load "$WORK/full" &&
		canroute list --rules >"$WORK/listed" && rules before && canroute flush &&
		while read -r line; do
			canroute add "$line" || return
		done <"$WORK/listed" &&
		rules after && [ -s "$WORK/before" ] && diff "$WORK/before" "$WORK/after"
}

replaces() {
	local handle

	handle=$(canroute add from can0 to can1 id 123 name old) &&
		canroute add from can0 to can1 id 124 &&
		canroute replace "$handle" from can0 to can2 id 125 name new &&
		[ "$(handle_of new)" = "$handle" ] &&
		in_force "from can0 to can2 name new id 125" "from can0 to can1 id 124"
}

keeps_counters() {
	local handle

	handle=$(canroute add from can0 to can1 id 123) && cansend can0 "123#" &&
		canroute replace "$handle" from can0 to can2 id 124 && cansend can0 "124#" &&
		canroute stats --json >"$WORK/stats" &&
		true_of stats "len(r) == 1 and r[0]['stats']['sent'] == 2"
}

replaces_no_source() {
	local handle

	handle=$(canroute add from can0 to can1 id 123) &&
		expect 1 "(from)" "$BIN/canroute" replace "$handle" from can2 to can1 id 123 &&
		in_force "from can0 to can1 id 123"
}

deletes() {
	local handle other

	handle=$(canroute add from can0 to can1 id 123) &&
		other=$(canroute add from can0 to can1 id 124) &&
		canroute delete "$handle" && in_force "from can0 to can1 id 124" &&
		expect 1 "rule $handle:" "$BIN/canroute" delete "$handle" "$other" && in_force
}

rejects_handle() {
	expect 1 "rule 4000000000:" "$BIN/canroute" list 4000000000
}

chooses() {
	canroute load - <<-FILE &&
		from can0 to can1 name a
		from can1 to can0 name b frames fd
		from can0 to can2 name b frames fd
	FILE
		[ "$(canroute save -s can0 | wc -l)" = 2 ] && [ "$(canroute save -d can0)" = \
			"from can1 to can0 frames fd name b" ] &&
		[ "$(canroute save -f cc)" = "from can0 to can1 name a" ] &&
		[ "$(canroute save --name b --source can0)" = "from can0 to can2 frames fd name b" ] &&
		[ -z "$(canroute save --name c)" ]
}

# Both loads remove all earlier rules.
loads_forty() {
	canroute add from can1 to can0 && forty 0 >"$WORK/forty" &&
		canroute load "$WORK/forty" && rules loaded && diff "$WORK/forty" "$WORK/loaded" &&
		forty 100 >"$WORK/forty" && canroute load - <"$WORK/forty" && rules loaded &&
		diff "$WORK/forty" "$WORK/loaded"
}

loads_nothing_of() {
	rules before && expect 1 "$1" "$BIN/canroute" load "$WORK/file" && rules after &&
		grep -q "nothing was loaded" "$WORK/run.err" && [ -s "$WORK/before" ] &&
		diff "$WORK/before" "$WORK/after"
}

# Line 21 has an offset that is out of range for Classical CAN.
explains_rejected() {
	forty 0 | canroute load - && {
		forty 100 | head -20
		echo "from can0 to can1 set len=8 crc8 0..6 at 9 poly 1D"
		forty 200 | head -19
	} >"$WORK/file" && loads_nothing_of "$WORK/file:21: " && grep -q "(crc8 at)" "$WORK/run.err"
}

explains_cangw() {
	canroute add from can0 to can1 &&
		echo "-s can0 -d can1 -m SET:L:0.8.0000000000000000 -x 0:6:9:00" >"$WORK/file" &&
		loads_nothing_of "$WORK/file:1: " && grep -q "(-x result)" "$WORK/run.err"
}

explains_all() {
	canroute add from can0 to can1 && {
		for _ in {1..30}; do
			echo "from can0 to can1 set len=8 xor-checksum 0..6 at 9"
		done
	} >"$WORK/file" && loads_nothing_of "$WORK/file:20: " &&
		grep -q "10 more rules were rejected" "$WORK/run.err"
}

explains_added() {
	expect 1 "(xor-checksum at)" \
		"$BIN/canroute" add from can0 to can1 set len=8 xor-checksum 0..6 at 9
}

# All errors in the file are reported, and nothing is sent to the kernel.
reports_mistakes() {
	canroute add from can0 to can1 && {
		echo "from can0 to can1 id 1234"
		echo "from can0 to can1"
		echo "from can0 too can1"
	} >"$WORK/file" && loads_nothing_of "$WORK/file:1:22: " &&
		grep -q "$WORK/file:3:11: " "$WORK/run.err"
}

reports_interface() {
	canroute add from can0 to can1 && {
		echo "from can0 to can1"
		echo "from can0 to none"
	} >"$WORK/file" && loads_nothing_of "$WORK/file:2: interface 'none' does not exist"
}

loads_many() {
	local id

	for id in {0..4999}; do
		printf 'from can0 to can1 id %08X set id=%08X\n' "$id" $((id + 1))
	done >"$WORK/many"
	canroute load "$WORK/many" && rules loaded && diff "$WORK/many" "$WORK/loaded"
}

loads_one_source() {
	canroute load - <<-FILE && echo "from can0 to can1 id 125" | canroute load --source can0 - &&
		from can0 to can1 id 123
		from can1 to can0 id 124
	FILE
		diff <(canroute save | sort) - <<-FILE
			from can0 to can1 id 125
			from can1 to can0 id 124
		FILE
}

rejects_other_source() {
	canroute add from can0 to can1 && echo "from can1 to can0" >"$WORK/file" && rules before &&
		expect 1 "$WORK/file:1: " "$BIN/canroute" load --source can0 "$WORK/file" &&
		rules after && diff "$WORK/before" "$WORK/after"
}

rejects_generation() {
	local generation

	canroute table --json >"$WORK/table" &&
		generation=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["generation"])' \
			<"$WORK/table") &&
		echo "from can0 to can1 id 123" | canroute load -g "$generation" - &&
		echo "from can0 to can1 id 124" >"$WORK/file" &&
		expect 1 "nothing was loaded" "$BIN/canroute" load -g "$generation" "$WORK/file" &&
		in_force "from can0 to can1 id 123"
}

flushes() {
	canroute load - <<-FILE && canroute flush --source can0 &&
		from can0 to can1
		from can1 to can0
	FILE
		in_force "from can1 to can0" && canroute flush && in_force
}

saves_and_loads() {
	full | canroute load - && rules before && [ "$(wc -l <"$WORK/before")" = 10 ] &&
		canroute flush && in_force && canroute load "$WORK/before" && rules after &&
		diff "$WORK/before" "$WORK/after"
}

# Rules of cangw are loaded from the output of cangw -L. Unused fields have the value 0.
loads_cangw() {
	local table

	table=$(printf '%0512d' 1)
	cangw -A -s can0 -d can1 -e -f 123:C00007FF -m SET:ILD:333.4.1122334455667788 &&
		cangw -A -s can0 -d can1 -X -t -i -f '12345678~DFFFFFFF' -l 1 &&
		cangw -A -s can1 -d can2 -u FF -m XOR:D:0.0.0102030405060708 -x 0:6:7:1A &&
		cangw -A -s can1 -d can2 -m AND:I:7FF.0.0000000000000000 -p 1:2A \
			-c "0:6:7:FF:A:$table" &&
		cangw -A -s can2 -d can0 -X -M "SET:FD:0.1.0.$(printf '%0128d' 1)" &&
		cangw_list >"$WORK/before" && [ "$(wc -l <"$WORK/before")" = 5 ] && canroute flush &&
		tac "$WORK/before" | canroute load - && cangw_list >"$WORK/after" &&
		diff "$WORK/before" "$WORK/after"
}

cangw_sees() {
	canroute add from can0 to can1 id 123 echo set len=4 &&
		prints "^cangw -A -s can0 -d can1 -e .*-f 123:C00007FF " cangw_list &&
		prints "-m SET:L:000.4." cangw_list && canroute flush && [ -z "$(cangw_list)" ]
}

sees_cangw() {
	cangw -A -s can0 -d can1 -e -f 123:C00007FF &&
		in_force "from can0 to can1 id 123 echo" &&
		cangw -D -s can0 -d can1 -e -f 123:C00007FF && in_force
}

hides_xl() {
	canroute load - <<-FILE && [ "$(cangw_list | wc -l)" = 1 ] &&
		from can0 to can1
		from xl0 to xl1 frames xl prio 012 vcid 05 set sec=1 prio=013 data=01*100
	FILE
		canroute table --json >"$WORK/table" && true_of table "r['rules'] == 2" &&
		[ "$(canroute save -f xl)" = \
			"from xl0 to xl1 frames xl prio 012 vcid 05 set sec=1 prio=013 data=01*100" ]
}

# The largest possible rule.
large_xl() {
	local line="from xl0 to xl1 frames xl"
	line+=" and data=01.02*2047 or data=03.04*2047 xor data=05.06*2047 set data=07.08*2047"

	canroute add "$line" && in_force "$line" &&
		for _ in {1..20}; do
			echo "$line"
		done >"$WORK/file" && canroute load "$WORK/file" && rules loaded &&
		diff "$WORK/file" "$WORK/loaded"
}

# watch OPTION...: start the monitor; its pid is then in monitor
watch() {
	start watch "$BIN/canroute" monitor "$@" && monitor=$pid &&
		until_says watch "canroute: ready: " "$monitor"
}

# said TEXT: wait until the monitor prints TEXT
said() {
	until_says watch "$1" "$monitor"
}

watches_itself() {
	local monitor handle

	canroute add from can2 to can0 && watch &&
		handle=$(canroute add from can0 to can1 id 123) &&
		said "added $handle: from can0 to can1 id 123" &&
		canroute replace "$handle" from can0 to can2 id 124 &&
		said "changed $handle: from can0 to can2 id 124" &&
		said "    from: from can0 to can1 id 123" && canroute delete "$handle" &&
		said "removed $handle: from can0 to can2 id 124" &&
		forty 0 | canroute load - && said "replaced all rules: now 40" &&
		handle=$(handle_of rule7) && canroute delete "$handle" &&
		said "removed $handle: from can0 to can1 name rule7 id 007 set id=407" &&
		canroute flush --source can0 && said "replaced all rules from can0: now 0" &&
		ended "$monitor" TERM && [ "$status" = 0 ]
}

watches_cangw() {
	local monitor

	watch && cangw -A -s can0 -d can1 -u 5A -m SET:L:0.4.0000000000000000 &&
		said "added" && said ": from can0 to can1 uid 5A set len=4" &&
		cangw -A -s can0 -d can1 -u 5A -m SET:L:0.8.0000000000000000 &&
		said "changed" && said ": from can0 to can1 uid 5A set len=8" &&
		cangw -D -s can0 -d can1 -u 5A -m SET:L:0.8.0000000000000000 &&
		said "removed" && canroute add from can1 to can0 && said ": from can1 to can0" &&
		cangw -F && said "replaced all rules: now 0" && ended "$monitor" INT && [ "$status" = 0 ]
}

# The rule is printed with the name of the interface, which no longer exists.
watches_interface() {
	local monitor handle

	link_vcan gone0 && handle=$(canroute add from gone0 to can1 id 123) && watch &&
		ip link del gone0 &&
		said "removed $handle: from gone0 to can1 id 123 (an interface is gone)" &&
		ended "$monitor" TERM && [ "$status" = 0 ]
}

watches_json() {
	local monitor

	link_vcan gone0 && watch --json && canroute load - <<-FILE &&
		from gone0 to can1 name a
		from can0 to can1 name b
	FILE
		said '"replaced"' && canroute replace "$(handle_of b)" from can0 to can2 name c &&
		said '"changed"' && canroute delete "$(handle_of c)" && said '"request"' &&
		ip link del gone0 && said '"interface"' && canroute add from can0 to can1 && said '"added"' &&
		ended "$monitor" TERM && [ "$status" = 0 ] &&
		events "[e['event'] for e in r] ==
			['replaced', 'changed', 'removed', 'removed', 'added']" &&
		events "r[0]['table']['rules'] == 2 and r[1]['before']['name'] == 'b'" &&
		events "r[2]['rule']['name'] == 'c' and r[3]['rule']['source'] == 'gone0'"
}

# Without privileges the receive queue has the default size: the notifications of many rules
# do not fit into it while the monitor is stopped.
loses_news() {
	local monitor handle handles

	loads_many && mapfile -t handles < <(canroute list | awk 'NR > 1 { print $1 }') &&
		start watch "${UNPRIVILEGED[@]}" "$BIN/canroute" monitor && monitor=$pid &&
		said "canroute: ready: 5000 rules" && kill -STOP "$monitor" &&
		until_true grep -q '^State:.T' "/proc/$monitor/status" &&
		canroute delete "${handles[@]:0:3000}" && kill -CONT "$monitor" &&
		said "lost notifications" && handle=$(canroute add from can1 to can0) &&
		said "added $handle: from can1 to can0" && canroute delete "${handles[4000]}" &&
		said "removed ${handles[4000]}: from can0 to can1 id " && ended "$monitor" TERM &&
		[ "$status" = 0 ]
}

prints_json() {
	full | canroute load --json - >"$WORK/load" && true_of load "r['rules'] == 10" &&
		canroute list --json >"$WORK/list" && true_of list "len(r) == 10" &&
		true_of list "r[-1]['name'] == 'two words' and r[-1]['echo']" &&
		true_of list "r[-2]['filter'] == {'id': 0x92345678, 'mask': 0xDFFFFFFF, 'inverted': True}" &&
		true_of list "r[-3]['and']['data'] == 'F0' * 8 and r[-3]['set']['len'] == 8" &&
		true_of list "[x['rule'] for x in reversed(r)] == '''$(canroute save)'''.splitlines()" &&
		canroute flush && canroute list --json >"$WORK/list" && true_of list "r == []"
}

counts() {
	canroute add from can0 to can1 id 123 && cansend can0 "123#" && cansend can0 "124#" &&
		cansend can0 "123##0" && canroute stats --json >"$WORK/stats" &&
		true_of stats "r[0]['stats'] == {'matched': 2, 'sent': 1, 'dropped': 0,
			'deleted': 0, 'skipped': 1}" &&
		prints "^ +[0-9]+  -  +can0  can1  cc +2 +1 +0 +0 +1$" canroute stats
}

resets() {
	canroute add from can0 to can1 && cansend can0 "123#" &&
		canroute stats --reset --json >"$WORK/stats" && true_of stats "r[0]['stats']['sent'] == 1" &&
		canroute stats --json >"$WORK/stats" && true_of stats "r[0]['stats']['sent'] == 0"
}

# The rates of an interval count only the frames that were sent in it.
shows_rates() {
	local live

	canroute add from can0 to can1 name live && cansend can0 "123#" || return 1
	start live "$BIN/canroute" stats --live 0.2 --json && live=$pid &&
		until_says live '"rates"' "$live" && cansend can0 "123#" &&
		until_says live '"sent": 2' "$live" && ended "$live" TERM && [ "$status" = 0 ] &&
		head -1 "$WORK/live.out" >"$WORK/first" &&
		true_of first "r['rules'][0]['rates']['sent'] == 0 and r['seconds'] >= 0.2" &&
		grep -m 1 '"sent": 2' "$WORK/live.out" >"$WORK/second" &&
		true_of second "r['rules'][0]['rates']['sent'] > 0"
}

# If the transaction is rejected, its rules are not added outside of it.
needs_privilege() {
	echo "from can0 to can1" >"$WORK/file" && chmod a+rx "$WORK" && chmod a+r "$WORK/file" &&
		expect 1 CAP_NET_ADMIN "${UNPRIVILEGED[@]}" "$BIN/canroute" load "$WORK/file" &&
		in_force && expect 1 CAP_NET_ADMIN \
			"${UNPRIVILEGED[@]}" "$BIN/canroute" add from can0 to can1 && in_force
}

plain_user_looks() {
	canroute add from can0 to can1 id 123 &&
		expect 0 "id 123" "${UNPRIVILEGED[@]}" "$BIN/canroute" list
}

no_disk() {
	canroute add from can0 to can1 && run sh -c '"$1" save >/dev/full' sh "$BIN/canroute" &&
		[ "$status" = 3 ] && [[ $err == *"standard output"* ]]
}

no_colours() {
	canroute add from can0 to can1 && run canroute list && [ "$status" = 0 ] &&
		[[ $out == *can0* && $out != *$'\033'* ]]
}

checks() {
	full >"$WORK/file" && sed -i 's/can[0-9]/elsewhere/' "$WORK/file" &&
		expect 0 "10 rules" "$BIN/canroute" check "$WORK/file" &&
		echo "from can0" >>"$WORK/file" &&
		expect 1 "$WORK/file:15: destination interface required" "$BIN/canroute" check "$WORK/file" &&
		expect 0 "warning: no frame matches" "$BIN/canroute" check - \
			<<<"from can0 to can1 id 0x12345678/DFFFFFFF"
}

# Exit statuses of the man page that depend on the kernel
statuses() {
	local handle

	handle=$(canroute add from can0 to can1) &&
		expect 1 "nosuch" "$BIN/canroute" add from can0 to nosuch &&
		expect 1 "nosuch" "$BIN/canroute" list --source nosuch &&
		expect 1 "rule 99999" "$BIN/canroute" list 99999 &&
		expect 1 "canroute:" "$BIN/canroute" replace 99999 from can0 to can1 &&
		expect 1 "nothing was loaded" "$BIN/canroute" load -g 99999 - </dev/null &&
		expect 3 "$WORK/none" "$BIN/canroute" load "$WORK/none" &&
		expect 2 "handle" "$BIN/canroute" delete "$handle" x && in_force "from can0 to can1" &&
		expect 1 "rule 99999" "$BIN/canroute" delete 99999 "$handle" && in_force
}

options_first() {
	canroute load - <<-FILE && run "$BIN/canroute" --json -s can0 list || return
		from can0 to can1
		from can1 to can0
	FILE
	echo "$out" >"$WORK/out" && true_of out "len(r) == 1 and r[0]['source'] == 'can0'" &&
		canroute -s can1 flush && in_force "from can0 to can1"
}

# promise NAME COMMAND...: check, starting without rules
promise() {
	local left

	for left in $(jobs -p); do
		kill -KILL "$left" 2>/dev/null || true
		wait "$left" 2>/dev/null || true
	done
	canroute flush
	check "$@"
}

one_cpu
for name in can0 can1 can2; do
	link_vcan "$name"
done
link_vcan xl0 2060
link_vcan xl1 2060

promise "add prints the handle, and list shows the rule" adds
promise "add accepts a line in one argument" adds_line
promise "exit statuses are as documented" statuses
promise "options are accepted before the command" options_first
promise "add accepts the options of cangw" adds_cangw
promise "add accepts the output of list --rules" adds_what_it_lists
promise "replace keeps the handle and the position" replaces
promise "replace keeps the counters" keeps_counters
promise "replace rejects a change of the source" replaces_no_source
promise "delete removes rules, and reports an unknown handle" deletes
promise "list reports an unknown handle" rejects_handle
promise "source, destination, frames and name select rules" chooses
promise "load replaces all rules" loads_forty
promise "load reports the line of a rejected rule, and changes nothing" explains_rejected
promise "load names the rejected option of cangw" explains_cangw
promise "load reports 20 rejected rules and counts the others" explains_all
promise "add names the rejected part of the rule" explains_added
promise "load reports all errors in a file, and changes nothing" reports_mistakes
promise "load reports an interface that does not exist" reports_interface
promise "load and save 5000 rules" loads_many
promise "load --source keeps the rules of other sources" loads_one_source
promise "load --source rejects rules of other sources" rejects_other_source
promise "load --generation fails if rules have changed" rejects_generation
promise "flush removes the rules of a source, or all rules" flushes
promise "load restores all rules that save printed" saves_and_loads
promise "load accepts the output of cangw -L" loads_cangw
promise "cangw lists rules of canroute" cangw_sees
promise "canroute lists rules of cangw" sees_cangw
promise "CAN XL rules are hidden from cangw" hides_xl
promise "CAN XL rules of the maximum size" large_xl
promise "monitor reports changes by canroute" watches_itself
promise "monitor reports changes by cangw" watches_cangw
promise "monitor reports the removal of an interface" watches_interface
promise "monitor --json prints objects" watches_json
promise "monitor reports lost notifications, and continues" loses_news
promise "list --json and load --json" prints_json
promise "stats counts" counts
promise "stats --reset" resets
promise "stats --live shows rates" shows_rates
promise "changes require CAP_NET_ADMIN" needs_privilege
promise "list requires no privilege" plain_user_looks
promise "save reports a full disk" no_disk
promise "output is coloured only on a terminal" no_colours
promise "check requires no interfaces" checks
promise "add reports an interface that does not exist" expect 1 "interface 'none' does not exist" \
	"$BIN/canroute" add from can0 to none
promise "list reports a source that does not exist" expect 1 "interface 'none' does not exist" \
	"$BIN/canroute" list --source none
promise "load reports a file that does not exist" expect 3 "No such file" "$BIN/canroute" load "$WORK/none"
promise "a command is required" expect 2 "command is required" "$BIN/canroute"
promise "an unknown command is rejected" expect 2 "unknown command 'none'" "$BIN/canroute" none
promise "an option of another command is rejected" \
	expect 2 "option -j is not valid with 'save'" "$BIN/canroute" save -j
promise "add requires a rule" expect 2 "'add' takes a rule" "$BIN/canroute" add
promise "a handle must be a number" expect 2 "is not a number" "$BIN/canroute" delete x
promise "handles and selecting options are rejected" \
	expect 2 "handles cannot be combined" "$BIN/canroute" list 1 --source can0
promise "--help describes the commands" expect 0 "  monitor " "$BIN/canroute" --help
finish
