#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cansim-setup: what it makes, lists and removes, its exit statuses, and that nothing is
# left of what could not be made. Its buses have names of their own; others stay as they are.
#
# The functions below are called by check.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# The interfaces of cansim are in the first network namespace.
IN_NAMESPACE=1
echo "KTAP version 1"
[ "$(id -u)" = 0 ] || skip_all "needs root"

begin 10 "$@"
need_modules cansim cansim-mcp251x vcan

SETUP=$TESTS/../cansim-setup/cansim-setup
A=setupa$$ B=setupb$$
IFNAME=setup$$

succeeds() {
	run "$@"
	echo "$* gave $status: $err"
	[ "$status" = 0 ]
}

fails() {
	run "$@"
	echo "$* gave $status: $err"
	[ "$status" = 1 ]
}

# gone NAME...: no such buses are there
gone() {
	local name

	for name; do
		! grep "^$name=" <<<"$("$SETUP" --list)" || return
	done
}

makes_lists_removes() {
	succeeds "$SETUP" "$A"=generator.g,generator.h:dlc=3 "$B"=generator.g &&
		prints "^$A=generator\.g,generator\.h\$" "$SETUP" --list &&
		prints "^$B=generator\.g\$" "$SETUP" --list &&
		succeeds "$SETUP" --remove "$A" && gone "$A" &&
		prints "^$B=" "$SETUP" --list && succeeds "$SETUP" --remove "$B" && gone "$B"
}

# refuses TEXT ARGUMENT...: nothing is made, with exit status 1
refuses() {
	local text=$1

	shift
	expect 1 "$text" "$SETUP" "$@" && gone "$A" "$B"
}

refuses_values() {
	refuses "cannot make $A/nosuch.x" "$B"=generator.g "$A"=generator.g,nosuch.x &&
		refuses "no attribute $A/generator.g/nosuch" "$A"=generator.g:nosuch=1 &&
		refuses "to \"9\"" "$A"=generator.g:dlc=9
}

refuses_what_is_there() {
	local verdict=0

	succeeds "$SETUP" "$A"=generator.g || return
	{ expect 1 "cannot make $A" "$SETUP" "$B"=generator.g "$A"=generator.h &&
		prints "^$A=generator\.g\$" "$SETUP" --list && gone "$B"; } || verdict=1
	"$SETUP" --remove "$A"
	return "$verdict"
}

removes_all_or_none() {
	local verdict=0

	expect 1 "there is no bus \"$B\"" "$SETUP" --remove "$B" &&
		succeeds "$SETUP" "$A"=generator.g || return
	{ expect 1 "there is no bus \"$B\"" "$SETUP" --remove "$A" "$B" &&
		prints "^$A=" "$SETUP" --list; } || verdict=1
	"$SETUP" --remove "$A"
	return "$verdict"
}

wrong_makes_nothing() {
	expect 2 "a node is KIND.NAME" "$SETUP" "$A"=generator.g "$B"=generator && gone "$A" "$B"
}

# Only the buses of this test are removed if there are others.
removes_all() {
	local before

	before=$("$SETUP" --list)
	succeeds "$SETUP" "$A"=generator.g "$B"=generator.g &&
		expect 2 "needs the names of buses, or --all" "$SETUP" --remove &&
		prints "^$A=" "$SETUP" --list || return
	if [ "$before" ]; then
		succeeds "$SETUP" --remove "$A" "$B"
	else
		succeeds "$SETUP" --remove --all
	fi
	gone "$A" "$B"
}

sets_attributes_of_a_bus() {
	local verdict=0

	succeeds "$SETUP" "$A:slowdown=7:inject_seed=3=generator.g:dlc=3" || return
	{ prints "^7\$" cat "/sys/kernel/config/cansim/$A/slowdown" &&
		prints "^3\$" cat "/sys/kernel/config/cansim/$A/inject_seed" &&
		prints "^3\$" cat "/sys/kernel/config/cansim/$A/generator.g/dlc"; } || verdict=1
	"$SETUP" --remove "$A"
	refuses "no attribute $A/nosuch" "$A:nosuch=1=generator.g" &&
		refuses "to \"0\"" "$A:slowdown=0=generator.g" && return "$verdict"
}

# free_names: the two that a driver chooses next
free_names() {
	local i names=()

	for ((i = 0; ${#names[@]} < 2; i++)); do
		[ -e "/sys/class/net/can$i" ] || names+=("can$i")
	done
	echo "${names[@]}"
}

# The driver gives each of the two interfaces the name of the other node.
names_interfaces() {
	local first second verdict=0

	read -r first second < <(free_names)
	succeeds "$SETUP" "$A"="mcp2515.$second,generator.$IFNAME,mcp2510.$first" || return
	{ prints "^$second\$" cat "/sys/kernel/config/cansim/$A/mcp2515.$second/interface" &&
		prints "^$first\$" cat "/sys/kernel/config/cansim/$A/mcp2510.$first/interface" &&
		succeeds ip link show "$first" && succeeds ip link show "$second"; } || verdict=1
	"$SETUP" --remove "$A"
	return "$verdict"
}

refuses_taken_names() {
	local verdict=0

	succeeds ip link add "$IFNAME" type vcan || return
	refuses "cannot name the interface of $A/mcp2515.$IFNAME \"$IFNAME\": File exists" \
		"$A=mcp2515.$IFNAME" || verdict=1
	ip link del "$IFNAME"
	return "$verdict"
}

plain_user() {
	fails setpriv --reuid 65534 --regid 65534 --clear-groups "$SETUP" "$A"=generator.g &&
		gone "$A"
}

check "makes, lists and removes buses: 0" makes_lists_removes
check "a kind, an attribute or a value that the kernel refuses: 1, and nothing is made" refuses_values
check "a bus that is there already: 1, and it stays" refuses_what_is_there
check "a bus to remove that is not there: 1, and none is removed" removes_all_or_none
check "all buses are removed with --all only" removes_all
check "attributes of a bus" sets_attributes_of_a_bus
check "a wrong command line: 2, and nothing is made" wrong_makes_nothing
check "interfaces have the names of their nodes" names_interfaces
check "a name that another interface has: 1, and nothing is made" refuses_taken_names
check "without privilege: 1" plain_user
finish
