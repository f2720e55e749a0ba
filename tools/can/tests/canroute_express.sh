#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canroute and express rules, between simulated controllers: the kernel stores, shows and
# rejects them as canroute prints it, and they route frames.
#
# check calls the functions below.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin 15 "$@"
need_modules cansim cansim-sja1000 vcan can-raw can-gw
need_programs "$BIN/canroute" cansend nsenter python3
run "$BIN/canroute" table
[ "$status" = 0 ] || skip_all "the gateway has no netlink family can-gw"

export CANROUTE_STATE=$WORK/state/applied
SETUP=$TESTS/../cansim-setup/cansim-setup
FILE=$WORK/gateway.rules
BUSES=(expressa$$ expressb$$)

# can0 and can2 are on one bus, can1 and can3 on the other. cansim adds interfaces to the
# initial network namespace.
make_buses() {
	local i

	"$SETUP" "${BUSES[0]}=sja1000.e0x$$,sja1000.e2x$$" \
		"${BUSES[1]}=sja1000.e1x$$,sja1000.e3x$$" || return
	for i in 0 1 2 3; do
		nsenter --net="/proc/$PPID/ns/net" ip link set "e${i}x$$" netns $$ &&
			ip link set "e${i}x$$" name "can$i" &&
			ip link set "can$i" up type can bitrate 100000 || return
	done
}

remove_buses() {
	"$SETUP" --remove "${BUSES[@]}" 2>/dev/null || true
}

# has_sent COUNT: the rule "fast" has sent so many frames
has_sent() {
	[ "$(canroute list --name fast | awk 'NR == 2 { print $6 }')" = "$1" ]
}

adds() {
	local handle

	handle=$(canroute add from can0 to can1 name fast id 123 express lifetime 50ms) &&
		in_force "from can0 to can1 name fast id 123 express lifetime 50ms" &&
		prints "^ *$handle  fast  can0  can1  cc .* id 123 express lifetime 50ms$" \
			canroute list "$handle" &&
		canroute add from can1 to can0 express &&
		[ "$(canroute save -s can1)" = "from can1 to can0 express" ]
}

routes() {
	canroute add from can0 to can1 name fast id 123 express lifetime 10s &&
		cansend can2 "124#" && cansend can2 "123#1122" && until_true has_sent 1
}

prints_json() {
	canroute load - <<-FILE && canroute list --json >"$WORK/list" &&
		from can0 to can1 id 123
		from can0 to can1 id 123 express
		from can0 to can1 id 123 express lifetime 5s
	FILE
		true_of list "[x['express'] for x in reversed(r)] == [False, True, True]" &&
		true_of list "[x.get('lifetime') for x in reversed(r)] == [None, None, 5000000000]" &&
		true_of list "r[0]['rule'].endswith(' express lifetime 5s')"
}

saves_and_loads() {
	cat >"$FILE" <<-RULES
		from can0 to can1 name "two words" id 123 express
		from can0 to can1 id 12345678 echo express lifetime 200us hop-limit 1
		from can1 to can0 express lifetime 1500us set data=1122334455667788
		from can0 to can1 id 124 express lifetime 1ns
		from can0 to can1 id 125 express lifetime 4294967295ns
		from can0 to can1 id 126 express lifetime 4294967296ns
		from can0 to can1 id 127 express lifetime 9223372036854775807ns
	RULES
	prints "^7 rules$" canroute load "$FILE" && canroute save | diff "$FILE" - &&
		canroute list --rules >"$WORK/listed" && canroute flush &&
		canroute load "$WORK/listed" && canroute save | diff "$FILE" -
}

# is_pending HANDLE: list says so in each form
is_pending() {
	prints "# pending *$" canroute list "$1" &&
		prints "express  # handle $1, pending$" canroute list --rules "$1" &&
		canroute list --json "$1" >"$WORK/list" && true_of list "r[0]['pending'] is True"
}

is_not_pending() {
	canroute list "$1" >"$WORK/list" && ! grep pending "$WORK/list" &&
		canroute list --json "$1" >"$WORK/list" && true_of list "'pending' not in r[0]"
}

# A rule becomes an express rule, and an ordinary one again.
replaces() {
	local handle

	handle=$(canroute add from can0 to can1 name fast id 123) && cansend can2 "123#" &&
		until_true has_sent 1 &&
		canroute replace "$handle" from can0 to can1 name fast id 123 express &&
		in_force "from can0 to can1 name fast id 123 express" && is_pending "$handle" &&
		cansend can2 "123#" && until_true has_sent 2 && is_not_pending "$handle" &&
		canroute replace "$handle" from can0 to can1 name fast id 123 express lifetime 1s &&
		in_force "from can0 to can1 name fast id 123 express lifetime 1s" &&
		canroute replace "$handle" from can0 to can1 name fast id 123 &&
		in_force "from can0 to can1 name fast id 123" && cansend can2 "123#" &&
		until_true has_sent 3
}

watches() {
	local monitor handle

	start watch "$BIN/canroute" monitor && monitor=$pid &&
		until_says watch "canroute: ready: " "$monitor" &&
		handle=$(canroute add from can0 to can1 express lifetime 50ms) &&
		until_says watch "added $handle: from can0 to can1 express lifetime 50ms" "$monitor" &&
		canroute replace "$handle" from can0 to can1 express lifetime 60ms &&
		until_says watch "changed $handle: from can0 to can1 express lifetime 60ms" "$monitor" &&
		until_says watch "    from: from can0 to can1 express lifetime 50ms" "$monitor" &&
		ended "$monitor" TERM && [ "$status" = 0 ]
}

# applies_change LINE: apply replaces the only rule of the file by LINE
applies_change() {
	echo "$1" >"$FILE" && canroute apply "$FILE" && in_force "$1" &&
		canroute list --rules >"$WORK/before" && canroute apply "$FILE" &&
		canroute list --rules | diff "$WORK/before" -
}

applies() {
	applies_change "from can0 to can1 id 123" &&
		applies_change "from can0 to can1 id 123 express" &&
		applies_change "from can0 to can1 id 123 express lifetime 50ms" &&
		applies_change "from can0 to can1 id 123 express lifetime 51ms" &&
		applies_change "from can0 to can1 id 123" && canroute unapply && in_force
}

stages_others() {
	local other="from can0 to can1 name other id 700 express lifetime 5s"

	canroute add "$other" && echo "from can0 to can1 express lifetime 1ms" >"$FILE" &&
		canroute apply "$FILE" && echo "from can0 to can1 express lifetime 2ms" >"$FILE" &&
		expect 0 "1 rule of others was staged again" "$BIN/canroute" apply "$FILE" &&
		in_force "$other" "from can0 to can1 express lifetime 2ms"
}

# rtnetlink, which cangw uses, cannot say that a rule is express.
hides_express() {
	canroute add from can0 to can1 id 123 express lifetime 50ms &&
		[ "$(CANROUTE_GATEWAY=stock canroute save)" = "from can0 to can1 id 123" ] &&
		expect 1 "does not support express rules" env CANROUTE_GATEWAY=stock \
			"$BIN/canroute" add from can0 to can1 id 124 express
}

names_driver() {
	expect 1 "driver of vcan0 cannot be the source of express rules (from)" \
		"$BIN/canroute" add from vcan0 to can1 express &&
		expect 1 "driver of vcan0 cannot be the destination of express rules (to)" \
			"$BIN/canroute" add from can0 to vcan0 express lifetime 50ms && in_force
}

rejects_rules() {
	expect 1 "Classical CAN (express)" "$BIN/canroute" add from vcan0 to vcan1 frames fd express &&
		expect 1 "is inverted" "$BIN/canroute" add from can0 to can1 not id 123 express &&
		expect 1 "is for errors" "$BIN/canroute" add from can0 to can1 id 004/20000004 express &&
		expect 1 "'lifetime' requires 'express'" \
			"$BIN/canroute" add from can0 to can1 lifetime 50ms && in_force
}

names_limit() {
	local i

	for i in 1 2 3 4; do
		canroute add from can0 to can1 id 123 express hop-limit 1 || return
	done
	canroute save >"$FILE" &&
		expect 1 "filter 123:C00007FF would be the fifth express rule for a frame" \
			"$BIN/canroute" add from can0 to can1 id 123 express &&
		canroute save | diff "$FILE" - && cp "$FILE" "$WORK/five" &&
		echo "from can0 to can1 express" >>"$WORK/five" &&
		expect 1 "would be the fifth express rule for a frame" \
			"$BIN/canroute" load "$WORK/five" &&
		grep -q "nothing was loaded" "$WORK/run.err" && canroute save | diff "$FILE" -
}

names_line() {
	canroute add from can1 to can0 && printf '%s\n' "from can0 to can1 express" \
		"from can0 to vcan0 express" >"$FILE" &&
		expect 1 "$FILE:2: driver of vcan0 cannot be the destination" \
			"$BIN/canroute" load "$FILE" &&
		expect 1 "$FILE:2: driver of vcan0 cannot be the destination" \
			"$BIN/canroute" apply "$FILE" && in_force "from can1 to can0"
}

# Root of another user namespace has the capability only in its own network namespace.
needs_initial_namespace() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	expect 1 CAP_NET_ADMIN \
		unshare --user --map-root-user --net sh -c 'ip link add vcan0 type vcan &&
			ip link add vcan1 type vcan && "$1" add from vcan0 to vcan1 express' \
		sh "$BIN/canroute"
}

# promise NAME COMMAND...: check, starting without rules
promise() {
	rm -rf "$WORK/state"
	canroute flush
	check "$@"
}

trap 'remove_buses; clean_up' EXIT
link_vcan vcan0
link_vcan vcan1
check "two buses" make_buses

promise "add adds an express rule, which list shows" adds
promise "an express rule routes and counts frames" routes
promise "list --json has express and lifetime" prints_json
promise "load restores the express rules that save printed" saves_and_loads
promise "replace changes express and lifetime, and keeps counters" replaces
promise "monitor reports changes of the lifetime" watches
promise "apply follows changes of express and lifetime" applies
promise "apply stages express rules of others again" stages_others
promise "rtnetlink shows an express rule as an ordinary one" hides_express
promise "a driver without express rules is named" names_driver
promise "invalid express rules are rejected" rejects_rules
promise "the fifth express rule for a frame is rejected" names_limit
promise "load and apply name the line of a rejected rule" names_line
name="express rules require CAP_NET_ADMIN in the initial user namespace"
if unshare --user --map-root-user --net true 2>/dev/null; then
	promise "$name" needs_initial_namespace
else
	skip "$name" "no user namespaces"
fi
finish
