#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canqueue: what it attaches, shows and removes, and its exit statuses.
#
# check calls the functions below.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin 7 "$@"
need_modules vcan sch_can_prio
need_programs "$BIN/canqueue" cansend tc

QUEUE=$BIN/canqueue
link_vcan v0

shows_others() {
	prints '^v0: noqueue$' "$QUEUE" v0 && prints '^  waiting 0, sent 0, dropped 0$' "$QUEUE" v0
}

attaches() {
	"$QUEUE" --attach v0 && prints '^qdisc can_prio .* root' tc qdisc show dev v0 &&
		prints '^v0: can_prio, no lifetime$' "$QUEUE" v0
}

counts() {
	cansend v0 123#11 && cansend v0 124#11 && prints '^  waiting 0, sent 2, dropped 0$' "$QUEUE" v0 &&
		prints "^  dropped: expired 0, queue full 0, sender's limit 0, no memory 0\$" "$QUEUE" v0
}

changes_lifetime() {
	"$QUEUE" --attach --lifetime 1.5ms v0 && prints '^v0: can_prio, lifetime 1.5 ms$' "$QUEUE" v0 &&
		"$QUEUE" -a v0 && prints '^v0: can_prio, lifetime 1.5 ms$' "$QUEUE" v0 &&
		"$QUEUE" -a -l 0 v0 && prints '^v0: can_prio, no lifetime$' "$QUEUE" v0
}

removes() {
	"$QUEUE" --remove v0 && prints '^v0: noqueue$' "$QUEUE" v0 &&
		expect 3 'v0: cannot remove the queue' "$QUEUE" --remove v0
}

refuses() {
	expect 3 'interface is not a CAN interface' "$QUEUE" --attach lo &&
		expect 3 'nosuch' "$QUEUE" nosuch &&
		expect 2 'exactly one interface' "$QUEUE" &&
		expect 2 '--lifetime requires --attach' "$QUEUE" --lifetime 1ms v0 &&
		expect 2 '--attach is not valid with --remove' "$QUEUE" --attach --remove v0 &&
		expect 2 '--lifetime' "$QUEUE" --attach --lifetime 2h v0
}

# full ARGUMENT...: canqueue fails because it cannot write its output
full() {
	expect 3 'writing to standard output' \
		sh -c '"$@" >/dev/full' sh "$QUEUE" "$@"
}

fails_without_room() {
	full v0 && full --help && full --version && full -h
}

check "shows another discipline" shows_others
check "attaches can_prio" attaches
check "shows counters" counts
check "changes the lifetime, and keeps it without the option" changes_lifetime
check "removes the discipline" removes
check "refuses wrong interfaces and command lines" refuses
check "fails if its output cannot be written" fails_without_room
finish
