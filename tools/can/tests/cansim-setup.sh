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

begin 6 "$@"
need_modules cansim

SETUP=$TESTS/../cansim-setup/cansim-setup
A=setupa$$ B=setupb$$

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

plain_user() {
	fails setpriv --reuid 65534 --regid 65534 --clear-groups "$SETUP" "$A"=generator.g &&
		gone "$A"
}

check "makes, lists and removes buses: 0" makes_lists_removes
check "a kind, an attribute or a value that the kernel refuses: 1, and nothing is made" refuses_values
check "a bus that is there already: 1, and it stays" refuses_what_is_there
check "a bus to remove that is not there: 1, and none is removed" removes_all_or_none
check "a wrong command line: 2, and nothing is made" wrong_makes_nothing
check "without privilege: 1" plain_user
finish
