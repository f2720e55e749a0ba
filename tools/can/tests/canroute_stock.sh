#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canroute and a gateway without the netlink family can-gw. If the gateway has the family, it is
# not used. Rules of canroute must be those that cangw makes of the same options.
#
# check calls the functions below.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin 28 "$@"
need_modules vcan can-raw can-gw
need_programs "$BIN/canroute" cangw cansend setpriv python3
FAMILY=
if run "$BIN/canroute" table && [ "$status" = 0 ]; then
	FAMILY=1
	export CANROUTE_GATEWAY=stock
fi

UNPRIVILEGED=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all
	--inh-caps -all)

# Rules as cangw shows them. Its exit status is not usable.
cangw_list() {
	cangw -L || true
}

# Rules for cangw, one for each of its options
options() {
	local zeroes table

	zeroes=$(printf '%0128d' 0)
	table=$(printf '%0510d01' 0)
	cat <<-LINES
		-s can0 -d can1
		-s can0 -d can0 -i
		-s can0 -d can1 -e -t -f 123:C00007FF
		-s can0 -d can1 -f 12345678~DFFFFFFF -l 1
		-s can1 -d can2 -m SET:IL:333.4.1122334455667788
		-s can1 -d can2 -m AND:I:7FF.0.0000000000000000 -m OR:D:0.0.8000000000000001
		-s can1 -d can2 -m XOR:ILD:1.F.00000000000000FF -u 5A
		-s can1 -d can2 -m SET:L:0.F.0000000000000000
		-s can2 -d can0 -m SET:L:0.8.0000000000000000 -x 0:-2:-1:5A
		-s can2 -d can0 -m SET:L:0.8.0000000000000000 -c 0:6:7:FF:A:$table
		-s can2 -d can0 -m SET:D:0.0.0000000000000000 -c 0:6:7:0:0:$table -p 1:2A -x 7:0:0:0
		-s can2 -d can0 -m SET:D:0.0.0000000000000000 -c 0:6:7:0:0:$table -p 2:00112233445566778899AABBCCDDEEFF
		-s can2 -d can0 -m SET:D:0.0.0000000000000000 -c -8:-2:7:0:0:$table -p 3:
		-s can0 -d can1 -X
		-s can0 -d can1 -X -f 123:7FF -e -M SET:IFLD:123.1.40.${zeroes}
		-s can0 -d can1 -X -M AND:F:0.1.0.${zeroes} -M XOR:D:0.0.0.FF${zeroes:2} -x 0:62:63:0
	LINES
}

lists() {
	canroute add from can0 to can1 id 123 echo && in_force "from can0 to can1 id 123 echo" &&
		prints "^ +-  -     can0  can1  cc +0 +0 +0   id 123 echo$" canroute list &&
		prints "^from can0 to can1 id 123 echo$" canroute list --rules
}

looks_like_cangw() {
	local line

	while read -r line; do
		# shellcheck disable=SC2086 # words of a command line
		cangw -A $line && cangw_list >"$WORK/cangw" && cangw -F && canroute add "$line" &&
			cangw_list >"$WORK/canroute" && [ -s "$WORK/canroute" ] &&
			diff "$WORK/cangw" "$WORK/canroute" && cangw -F || return
	done < <(options)
}

# cangw removes a rule only if all fields are equal.
removed_by_cangw() {
	local line

	while read -r line; do
		# shellcheck disable=SC2086 # words of a command line
		canroute add "$line" && cangw -D $line && in_force || return
	done < <(options)
}

# load_all: load the rules of options
load_all() {
	options >"$WORK/options" && canroute load "$WORK/options"
}

loads_cangw() {
	local line

	load_all && canroute save >"$WORK/loaded" && canroute flush &&
		while read -r line; do
			# shellcheck disable=SC2086 # words of a command line
			cangw -A $line || return
		done <"$WORK/options" &&
		[ "$(wc -l <"$WORK/loaded")" = 16 ] && diff "$WORK/loaded" <(canroute save) &&
		cangw_list | tac | canroute load - && diff "$WORK/loaded" <(canroute save)
}

saves_and_loads() {
	load_all && canroute save >"$WORK/saved" && canroute flush && in_force &&
		canroute load "$WORK/saved" && diff "$WORK/saved" <(canroute save) &&
		canroute list --rules | diff "$WORK/saved" -
}

no_names() {
	expect 0 "does not store names" "$BIN/canroute" add from can0 to can1 name a &&
		in_force "from can0 to can1" &&
		expect 0 "does not store names" "$BIN/canroute" load - <<<"from can1 to can0 name a" &&
		in_force "from can1 to can0"
}

# The kernel would replace the operations of the first rule.
keeps_uid() {
	canroute add from can0 to can1 id 123 uid 5 set id=124 &&
		expect 1 "uid is used by another rule" \
			"$BIN/canroute" add from can0 to can1 id 123 uid 5 set id=125 &&
		in_force "from can0 to can1 id 123 uid 5 set id=124"
}

counts() {
	canroute add from can0 to can1 id 123 && cansend can0 "123#" && cansend can0 "124#" &&
		canroute stats --json >"$WORK/stats" && true_of stats \
			"r[0]['stats'] == {'sent': 1, 'dropped': 0, 'deleted': 0} and 'handle' not in r[0]" &&
		ip link set can1 down && cansend can0 "123#" && ip link set can1 up &&
		prints "^ +-  -     can0  can1  cc +- +1 +1 +0 +-$" canroute stats
}

chooses() {
	canroute load - <<-FILE &&
		from can0 to can1
		from can1 to can0 frames fd
		from can0 to can2 frames fd
	FILE
		[ "$(canroute save -s can0 | wc -l)" = 2 ] &&
		[ "$(canroute save -d can0)" = "from can1 to can0 frames fd" ] &&
		[ "$(canroute save -f cc)" = "from can0 to can1" ] &&
		[ "$(canroute list -r -s can0 -f fd)" = "from can0 to can2 frames fd" ] &&
		[ -z "$(canroute save -f xl)" ] &&
		expect 1 "interface 'none' does not exist" "$BIN/canroute" list -s none
}

lacks() {
	expect 3 "$1 requires the netlink family can-gw" "$BIN/canroute" "${@:2}"
}

lacks_commands() {
	canroute add from can0 to can1 && lacks table table && lacks monitor monitor &&
		lacks replace replace 1 from can0 to can1 && lacks "stats --reset" stats -z &&
		lacks "stats --live" stats -l 1 && lacks "selection by name" list -n a &&
		lacks "selection by handle" stats 1 && lacks "load --generation" load -g 1 - </dev/null &&
		expect 3 "has no handles" "$BIN/canroute" delete 1 && in_force "from can0 to can1"
}

lacks_in_rules() {
	local rule=(from can0 to can1)

	expect 1 "does not support CAN XL" "$BIN/canroute" add "${rule[@]}" frames xl &&
		expect 1 "does not support express rules" \
			"$BIN/canroute" add "${rule[@]}" express lifetime 50ms &&
		expect 1 "does not support a checksum in a rule without" \
			"$BIN/canroute" add "${rule[@]}" xor-checksum 0..6 at 7 &&
		expect 1 "does not support a checksum offset outside of the frame" \
			"$BIN/canroute" add "${rule[@]}" set len=8 xor-checksum 0..6 at 8 &&
		expect 1 "does not support a hop limit above" \
			"$BIN/canroute" add "${rule[@]}" hop-limit 255 && in_force
}

finds_interfaces() {
	expect 1 "interface 'none' does not exist" "$BIN/canroute" add from can0 to none &&
		expect 1 "interface 'lo' is not a CAN interface" "$BIN/canroute" add from lo to can0 &&
		expect 1 "'return' required" "$BIN/canroute" add from can0 to can0 && in_force
}

loads_all() {
	canroute add from can1 to can0 && run canroute load - <<-FILE || return
		from can0 to can1 id 123
		from can0 to can1 id 124
	FILE
	[ "$status" = 0 ] && [ "$out" = "2 rules" ] && [ "$(grep -c warning "$WORK/run.err")" = 1 ] &&
		[[ $err == *"no transactions"* ]] &&
		in_force "from can0 to can1 id 123" "from can0 to can1 id 124" &&
		[ "$(canroute load --json - 2>/dev/null <<<"from can0 to can2")" = '{"rules": 1}' ]
}

checks_first() {
	canroute add from can1 to can0 && cat >"$WORK/file" <<-FILE &&
		from can0 to can1
		from can0 to can1 frames xl
		from can0 to none
		from can0 to lo
		from can0 to can1 uid 7 set id=001
		from can0 to can2 uid 7 set id=001
		from can0 to can1 crc8 0..6 at 7 poly 1D
		from can0
		from can0 to can1 express
	FILE
		expect 1 "nothing was loaded" "$BIN/canroute" load "$WORK/file" &&
		in_force "from can1 to can0" && [[ $err != *warning* ]] &&
		[ "$(wc -l <"$WORK/run.err")" = 8 ] &&
		grep -q "$WORK/file:2: .* CAN XL" "$WORK/run.err" &&
		grep -q "$WORK/file:3: interface 'none' does not exist" "$WORK/run.err" &&
		grep -q "$WORK/file:4: interface 'lo' is not a CAN interface" "$WORK/run.err" &&
		grep -q "$WORK/file:6: uid is used by another rule" "$WORK/run.err" &&
		grep -q "$WORK/file:7: .* checksum" "$WORK/run.err" &&
		grep -q "$WORK/file:8: destination interface required" "$WORK/run.err" &&
		grep -q "$WORK/file:9: .* express rules" "$WORK/run.err"
}

loads_one_source() {
	canroute add from can0 to can1 id 123 && canroute add from can1 to can0 uid 5 set id=001 &&
		canroute load -s can0 - <<<"from can0 to can2" &&
		in_force "from can1 to can0 uid 5 set id=001" "from can0 to can2" &&
		expect 1 "standard input:1: source differs" "$BIN/canroute" load -s can0 - \
			<<<"from can1 to can2" &&
		expect 1 "standard input:1: uid is used" "$BIN/canroute" load -s can0 - \
			<<<"from can0 to can2 uid 5 set id=001" &&
		in_force "from can1 to can0 uid 5 set id=001" "from can0 to can2"
}

# Only the patched gateway has a limit, which makes it reject a rule that is valid.
restores() {
	canroute load - <<-FILE && sysctl -q net.can.gw_max_rules=3 || return
		from can0 to can1 id 123
		from can0 to can2 uid 5 set id=001
		from can1 to can2 frames fd
	FILE
	canroute save >"$WORK/before" && {
		for _ in {1..4}; do
			echo "from can0 to can1"
		done
	} >"$WORK/file" && expect 1 "nothing was loaded" "$BIN/canroute" load "$WORK/file" &&
		grep -q "$WORK/file:4: the limit net.can.gw_max_rules is reached" "$WORK/run.err" &&
		diff "$WORK/before" <(canroute save) &&
		expect 1 "nothing was loaded" "$BIN/canroute" load -s can0 "$WORK/file" &&
		[ "$(canroute save | sort)" = "$(sort "$WORK/before")" ]
}

flushes() {
	load_all && canroute flush -s can0 && canroute save >"$WORK/rest" &&
		[ "$(grep -c "^from can[12] " "$WORK/rest")" = 9 ] && [ "$(wc -l <"$WORK/rest")" = 9 ] &&
		canroute flush && in_force
}

needs_privilege() {
	canroute add from can0 to can1 || return
	expect 1 CAP_NET_ADMIN "${UNPRIVILEGED[@]}" "$BIN/canroute" add from can0 to can2 &&
		expect 1 CAP_NET_ADMIN "${UNPRIVILEGED[@]}" "$BIN/canroute" flush &&
		expect 1 "nothing was loaded" "${UNPRIVILEGED[@]}" "$BIN/canroute" load - \
			<<<"from can0 to can2" && in_force "from can0 to can1" &&
		expect 0 "can1" "${UNPRIVILEGED[@]}" "$BIN/canroute" list
}

prints_json() {
	load_all && canroute list --json >"$WORK/list" && true_of list "len(r) == 16" &&
		true_of list "[x['rule'] for x in reversed(r)] == '''$(canroute save)'''.splitlines()" &&
		canroute flush && [ "$(canroute list --json)" = "[]" ]
}

loads_many() {
	local id

	for id in {0..999}; do
		printf 'from can0 to can1 id %08X set id=%08X\n' "$id" $((id + 1))
	done >"$WORK/many"
	canroute load "$WORK/many" && canroute save | diff "$WORK/many" -
}

not_loaded() {
	local command verdict=0

	modprobe -r can-gw || return
	for command in list "add from can0 to can1" "load /dev/null" flush "delete 1" table \
		"replace 1 from can0 to can1" "stats -z"; do
		# shellcheck disable=SC2086 # words of a command line
		expect 3 "'modprobe can-gw' loads it" "$BIN/canroute" $command || verdict=1
	done
	modprobe can-gw && return "$verdict"
}

# promise NAME COMMAND...: check, starting without rules
promise() {
	canroute flush
	check "$@"
}

one_cpu
for name in can0 can1 can2; do
	link_vcan "$name"
done

promise "add adds a rule, which list shows" lists
promise "rules of canroute are those of cangw" looks_like_cangw
promise "cangw removes rules of canroute" removed_by_cangw
promise "load and cangw add the same rules for the same options" loads_cangw
promise "load restores all rules that save printed" saves_and_loads
promise "a lost name is reported" no_names
promise "add does not change a rule that has the uid" keeps_uid
promise "stats shows the counters that exist" counts
promise "source, destination and frames select rules" chooses
promise "commands and options that need the family name it" lacks_commands
promise "add names what the gateway does not support" lacks_in_rules
promise "add reports wrong interfaces" finds_interfaces
promise "load replaces all rules, with one warning" loads_all
promise "load reports all errors in a file, and changes nothing" checks_first
promise "load --source keeps the rules of other sources" loads_one_source
promise "load of 1000 rules" loads_many
promise "flush removes the rules of a source, or all rules" flushes
promise "changes require CAP_NET_ADMIN, list does not" needs_privilege
promise "list --json" prints_json
promise "--live and --reset are mutually exclusive" expect 2 "mutually exclusive" \
	"$BIN/canroute" stats --live 1 --reset
promise "a handle must be a number" expect 2 "is not a number" "$BIN/canroute" delete x
promise "replace requires a handle" expect 2 "handle" "$BIN/canroute" replace x from can0 to can1
promise "check needs no gateway" expect 0 "1 rules" "$BIN/canroute" check - \
	<<<"from can0 to can1 frames xl name a"
promise "load reports a file that does not exist" expect 3 "No such file" \
	"$BIN/canroute" load "$WORK/none"
promise "add reports an invalid rule" expect 1 "destination interface required" \
	"$BIN/canroute" add from can0
promise "an invalid CANROUTE_GATEWAY is rejected" expect 2 "CANROUTE_GATEWAY" \
	env CANROUTE_GATEWAY=none "$BIN/canroute" list
name="the previous rules are restored if the kernel rejects one"
if [ -n "$FAMILY" ]; then
	promise "$name" restores
else
	skip "$name" "no limit of rules"
fi
name="commands say that the module is not loaded"
if own_machine; then
	promise "$name" not_loaded
else
	skip "$name" "$NOT_OWN"
fi
finish
