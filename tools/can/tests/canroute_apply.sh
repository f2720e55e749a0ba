#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canroute apply and unapply: the rules of a file are in force beside the rules of others.
#
# check calls the functions below.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin 28 "$@"
need_modules vcan can-raw can-gw
need_programs "$BIN/canroute" cangw cansend setpriv python3
run "$BIN/canroute" table
[ "$status" = 0 ] || skip_all "the gateway has no netlink family can-gw"

export CANROUTE_STATE=$WORK/state/applied
FILE=$WORK/gateway.rules

# file LINE...: the rules that the tests apply
file() {
	printf '%s\n' "$@" >"$FILE"
}

# snapshot NAME: write all rules with their handles, and the generation, to $WORK/NAME
snapshot() {
	canroute list --rules >"$WORK/$1" && canroute table >>"$WORK/$1"
}

# unchanged: no rule has changed since "snapshot before"
unchanged() {
	snapshot after && diff "$WORK/before" "$WORK/after"
}

# handle_of NAME: handle of the rule with this name
handle_of() {
	canroute list --name "$1" | awk 'NR == 2 { print $1 }'
}

# sent_by NAME: number of frames that the rule with this name has sent
sent_by() {
	canroute list --name "$1" | awk 'NR == 2 { print $6 }'
}

# Handle and counters of the rule "other" are as at its addition, after one frame.
keeps_other() {
	[ "$(handle_of other)" = "$1" ] && [ "$(sent_by other)" = 1 ]
}

add_other() {
	canroute add from can0 to can1 id 700 name other && cansend can0 "700#"
}

loads() {
	file "from can0 to can1 id 001" "from can0 to can1 id 002" "from can1 to can0" &&
		prints "^3 rules$" canroute apply "$FILE" &&
		in_force "from can0 to can1 id 001" "from can0 to can1 id 002" "from can1 to can0"
}

stores_handles() {
	file "from can0 to can1 id 001 name first" && canroute apply "$FILE" &&
		grep -qx "$(handle_of first) [1-9][0-9]* [1-9][0-9]* from can0 to can1 name first id 001" \
			"$CANROUTE_STATE" && [ ! -e "$CANROUTE_STATE.new" ]
}

# The kernel returns each rule as the file has it.
changes_nothing() {
	cat >"$FILE" <<-RULES && canroute apply "$FILE" && add_other && snapshot before &&
		from can0 to can1 name "two words" id 123 echo keep-time return
		from can0 to can1 frames fd not id 12345678 hop-limit 1 uid 5A set len=12
		from can1 to can2 and id=7FF data=F0*8 or id=001 len=1 xor data=01 set len=8
		from can2 to can0 frames fd set id=123 len=64 flags=01 data=11.22*63
		from can0 to can1 set data[2]=AA crc8 0..6 at 7 poly 1D init FF final FF profile 1u8 2A
		from can0 to can1 set len=8 crc8 0..6 at 7 table 00*255.01 profile sffid-xor
		from can0 to can1 set len=8 xor-checksum 0..-2 at -1 init 5A
		-s can0 -d can1 -f 123:7FF -m SET:ILD:333.4.1122334455667788 -x 0:6:7:1A
		from xl0 to xl1 frames xl prio 012 vcid 05 set sec=1 prio=013 data=01*100
	RULES
		prints "^9 rules$" canroute apply "$FILE" && unchanged
}

loads_many() {
	local id

	for id in {0..4999}; do
		printf 'from can0 to can1 id %08X set id=%08X\n' "$id" $((id + 1))
	done >"$FILE"
	add_other && canroute apply "$FILE" && snapshot before && canroute apply "$FILE" &&
		unchanged && sed -i 1d "$FILE" && canroute apply "$FILE" &&
		diff <(canroute save | tail -n +2) "$FILE" && canroute unapply &&
		in_force "from can0 to can1 name other id 700"
}

rejects_file() {
	file "from can0 to can1" && canroute apply "$FILE" && add_other && snapshot before &&
		file "from can0 to can1 id 1234" "from can0 too can1" &&
		expect 1 "$FILE:1:22: " "$BIN/canroute" apply "$FILE" &&
		grep -q "$FILE:2:11: " "$WORK/run.err" &&
		grep -q "$FILE: nothing was changed" "$WORK/run.err" && unchanged
}

# The transaction is rejected, and an added rule is.
rejects_rule() {
	file "from can1 to can0" && canroute apply "$FILE" && add_other && snapshot before &&
		file "from can0 to can1" "from can0 to can1 set len=8 xor-checksum 0..6 at 9" &&
		expect 1 "$FILE:2: " "$BIN/canroute" apply "$FILE" &&
		grep -qF "(xor-checksum at)" "$WORK/run.err" && unchanged &&
		sed -i '1i from can1 to can0' "$FILE" &&
		expect 1 "$FILE:3: " "$BIN/canroute" apply "$FILE" &&
		diff <(grep -v generation "$WORK/before") \
			<(canroute list --rules; canroute table | grep -v generation)
}

rejects_interface() {
	file "from lo to can0" && snapshot before &&
		expect 1 "$FILE:1: interface is not a CAN interface (from)" \
			"$BIN/canroute" apply "$FILE" && unchanged
}

missing_file() {
	snapshot before && expect 3 "$WORK/none: No such file" "$BIN/canroute" apply "$WORK/none" &&
		unchanged
}

replaces() {
	file "from can0 to can1 id 001" "from can0 to can1 id 002" && canroute apply "$FILE" &&
		file "from can0 to can1 id 003" && canroute apply "$FILE" &&
		in_force "from can0 to can1 id 003" && file && canroute apply "$FILE" && in_force
}

# Rules of cangw have attributes that canroute would not send.
stages_others() {
	file "from can0 to can1 id 001" && cangw -A -s can0 -d can1 -e -f 123:C00007FF \
		-m SET:ILD:333.4.1122334455667788 &&
		cangw -A -s can1 -d can2 -m AND:I:7FF.0.0000000000000000 -p 1:2A \
			-c "0:6:7:FF:A:$(printf '%0512d' 1)" && canroute add from can2 to can1 name other &&
		canroute apply "$FILE" && canroute save | grep -v "id 001" >"$WORK/before" &&
		[ "$(wc -l <"$WORK/before")" = 3 ] && file "from can0 to can1 id 002" &&
		expect 0 "3 rules of others were staged again" "$BIN/canroute" apply "$FILE" &&
		canroute save >"$WORK/after" &&
		diff <(cat "$WORK/before"; echo "from can0 to can1 id 002") "$WORK/after"
}

adds_missing() {
	local other

	other=$(add_other) && file "from can0 to can1 id 001" && canroute apply "$FILE" &&
		echo "from can1 to can0" >>"$FILE" && echo "from can0 to can1 id 002" >>"$FILE" &&
		canroute apply "$FILE" && keeps_other "$other" &&
		in_force "from can0 to can1 name other id 700" "from can0 to can1 id 001" \
			"from can1 to can0" "from can0 to can1 id 002"
}

# A rule in the middle of its source needs a transaction.
keeps_order() {
	file "from can0 to can1 id 001" "from can0 to can1 id 003" && canroute apply "$FILE" &&
		file "from can0 to can1 id 001" "from can0 to can1 id 002" "from can0 to can1 id 003" &&
		canroute apply "$FILE" && in_force "from can0 to can1 id 001" \
		"from can0 to can1 id 002" "from can0 to can1 id 003"
}

waits() {
	file "from can0 to can1" "from late0 to can1" "from can1 to late0" &&
		expect 0 "$FILE:2: waits for interface late0" "$BIN/canroute" apply "$FILE" &&
		grep -q "$FILE:3: waits for interface late0" "$WORK/run.err" &&
		[ "$out" = "1 rule; 2 wait for late0" ] && in_force "from can0 to can1"
}

# The interface is added, removed, and added again.
follows_interface() {
	local other

	other=$(add_other) && file "from late0 to can1" "from can0 to late0" "from can0 to can1" &&
		canroute apply "$FILE" && link_vcan late0 &&
		prints "^3 rules$" canroute apply "$FILE" && ip link del late0 &&
		prints "^1 rule; 2 wait for late0$" canroute apply "$FILE" && link_vcan late0 &&
		prints "^3 rules$" canroute apply "$FILE" && [ "$(canroute save | wc -l)" = 4 ] &&
		canroute unapply && in_force "from can0 to can1 name other id 700"
}

# Only rules of another source are missing: nothing is staged again.
adds_late() {
	local other

	file "from can0 to can1" "from late0 to can1" && canroute apply "$FILE" &&
		other=$(add_other) && link_vcan late0 && canroute apply "$FILE" &&
		keeps_other "$other"
}

# The kernel shows the rule under the new name; the file does not have it.
follows_rename() {
	link_vcan late0 && file "from late0 to can1" "from can0 to can1" && canroute apply "$FILE" &&
		ip link set late0 down && ip link set late0 name later0 && canroute save &&
		canroute apply "$FILE" && in_force "from can0 to can1"
}

removes_renamed() {
	link_vcan late0 && file "from late0 to can1" && canroute apply "$FILE" &&
		ip link set late0 down && ip link set late0 name later0 &&
		prints "^1 rule removed$" canroute unapply && in_force
}

unapplies() {
	local other

	file "from can0 to can1 id 001" "from can0 to can1 id 002" && canroute apply "$FILE" &&
		other=$(add_other) && canroute add from can0 to can1 id 001 &&
		prints "^2 rules removed$" canroute unapply && keeps_other "$other" &&
		in_force "from can0 to can1 name other id 700" "from can0 to can1 id 001" &&
		[ ! -e "$CANROUTE_STATE" ] && prints "^0 rules removed$" canroute unapply
}

# A handle that another rule has now, as after the module was loaded again
checks_text() {
	file "from can0 to can1 id 001" && canroute apply "$FILE" &&
		canroute replace "$(canroute list | awk 'NR == 2 { print $1 }')" from can0 to can2 &&
		canroute unapply && in_force "from can0 to can2"
}

checks_handle() {
	file "from can0 to can1 id 001" && canroute apply "$FILE" && canroute flush &&
		canroute add from can0 to can1 id 001 && canroute unapply &&
		in_force "from can0 to can1 id 001"
}

# Rules that other programs removed are loaded again.
repairs() {
	file "from can0 to can1 id 001" "from can0 to can1 id 002" && canroute apply "$FILE" &&
		canroute flush && canroute apply "$FILE" &&
		in_force "from can0 to can1 id 001" "from can0 to can1 id 002"
}

equal_rules() {
	file "from can0 to can1" "from can0 to can1" && canroute apply "$FILE" && snapshot before &&
		canroute apply "$FILE" && unchanged && in_force "from can0 to can1" "from can0 to can1" &&
		file "from can0 to can1" && canroute apply "$FILE" && in_force "from can0 to can1"
}

# Another program changes rules all the time. An apply may fail, and then changes nothing.
races() {
	local i

	sh -c 'while :; do "$1" delete "$("$1" add from can2 to can1)"; done' sh "$BIN/canroute" &
	for i in {1..20}; do
		file "from can0 to can1 id 00$((i % 2))" "from can1 to can0 id 00$((i % 3))"
		run "$BIN/canroute" apply "$FILE"
		echo "$status: $err"
		[ "$status" = 0 ] || [[ $err == *"during each of"* ]] || return
	done
	kill $!
	canroute apply "$FILE" && canroute save --source can0 >"$WORK/after" &&
		canroute save --source can1 >>"$WORK/after" && diff "$FILE" "$WORK/after"
}

# Two at once wait for each other.
locks() {
	local first

	file "from can0 to can1" && canroute apply "$FILE" &&
		start lock flock "$WORK/state" sleep 1000 && first=$pid &&
		until_true sh -c "! flock -n '$WORK/state' true" &&
		start apply "$BIN/canroute" apply "$FILE" &&
		! timeout 1 tail --pid="$pid" -f /dev/null && kill "$(pgrep -P "$first")" &&
		ended "$pid" && [ "$status" = 0 ]
}

# received SOCKET COMMAND...: print the datagram that COMMAND sends
received() {
	python3 - "$@" <<-'PY'
		import os, socket, subprocess, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind(sys.argv[1].replace("@", "\0", 1))
		s.settimeout(60)
		subprocess.run(sys.argv[2:], env={**os.environ, "NOTIFY_SOCKET": sys.argv[1]})
		print(s.recv(4096).decode())
	PY
}

notifies() {
	file "from can0 to can1" "from late0 to can1" "from late1 to can1" &&
		prints "^STATUS=1 rule; 2 wait for late0, late1$" \
			received "$WORK/notify" "$BIN/canroute" apply "$FILE" && file "from" &&
		prints "^STATUS=$FILE was rejected; still loaded: 1 rule$" \
			received "@canroute-test-$$" "$BIN/canroute" apply "$FILE"
}

needs_privilege() {
	file "from can0 to can1" && canroute apply "$FILE" && snapshot before &&
		file "from can0 to can2" && chmod -R a+rwX "$WORK" && chmod a+rx "$WORK" &&
		expect 1 CAP_NET_ADMIN setpriv --reuid 65534 --regid 65534 --clear-groups \
			--bounding-set -all --inh-caps -all "$BIN/canroute" apply "$FILE" && unchanged &&
		expect 1 CAP_NET_ADMIN setpriv --reuid 65534 --regid 65534 --clear-groups \
			--bounding-set -all --inh-caps -all "$BIN/canroute" unapply && unchanged &&
		canroute unapply && in_force
}

# promise NAME COMMAND...: check, starting without rules and with the same interfaces
promise() {
	local left

	for left in $(jobs -p); do
		kill -KILL "$left" 2>/dev/null || true
		wait "$left" 2>/dev/null || true
	done
	for left in late0 later0; do
		ip link del "$left" 2>/dev/null || true
	done
	rm -rf "$WORK/state"
	canroute flush
	check "$@"
}

one_cpu
for name in can0 can1 can2; do
	link_vcan "$name"
done
link_vcan xl0 2060
link_vcan xl1 2060

promise "apply loads rules in their order" loads
promise "apply stores handle, interfaces and text" stores_handles
promise "apply of the same file changes nothing" changes_nothing
promise "apply and unapply 5000 rules" loads_many
promise "apply reports all errors in a file, and changes nothing" rejects_file
promise "apply reports a rejected rule, and changes nothing" rejects_rule
promise "apply rejects other interfaces" rejects_interface
promise "apply reports a missing file" missing_file
promise "apply replaces its earlier rules" replaces
promise "apply stages the rules of others again" stages_others
promise "apply adds missing rules and keeps those of others" adds_missing
promise "apply keeps the order of the file" keeps_order
promise "apply skips and names rules that wait for an interface" waits
promise "apply loads the rules of an interface that was added" follows_interface
promise "a late interface does not affect rules of others" adds_late
promise "apply follows a renamed interface" follows_rename
promise "unapply removes rules of a renamed interface" removes_renamed
promise "unapply removes only what apply has loaded" unapplies
promise "a handle with another rule is not removed" checks_text
promise "an equal rule with another handle is not removed" checks_handle
promise "apply loads removed rules again" repairs
promise "equal rules are loaded as often as they are in the file" equal_rules
promise "concurrent changes of rules are not lost" races
promise "apply waits for another apply" locks
promise "apply sends its status to the service manager" notifies
promise "apply and unapply require CAP_NET_ADMIN" needs_privilege
promise "apply requires a file" expect 2 "'apply' takes a file" "$BIN/canroute" apply
promise "unapply takes no argument" expect 2 "'unapply' takes no argument" "$BIN/canroute" unapply x
finish
