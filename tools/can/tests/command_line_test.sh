#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Command lines of canroute and cansim-setup: positions of options, and the documented exit
# statuses, as far as they need no gateway in the kernel. --version of all programs. "make
# check" runs it on any host.
#
# check calls the functions below.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

SETUP=$TESTS/../cansim-setup/cansim-setup

# statuses STATUS COMMAND: COMMAND exits with STATUS and prints a message, for the arguments
# in each line of standard input
statuses() {
	local wanted=$1 line words verdict=0

	while IFS= read -r line; do
		read -ra words <<<"$line"
		run "$2" "${words[@]}"
		if [ "$status" != "$wanted" ] || [ -z "$err" ]; then
			echo "status $status instead of $wanted: $2 $line: $err"
			verdict=1
		fi
	done
	return "$verdict"
}

wrong_canroute() {
	statuses 2 "$BIN/canroute" <<-'END'

		--bogus
		--bogus list
		nosuch
		--json
		--json nosuch
		help nosuch
		add
		replace
		replace 1
		replace x from can0 to can1
		--json add from can0 to can1
		-s can0 add from can0 to can1
		delete
		delete x
		delete 0
		delete 1 x
		--json delete 1
		delete --rules 1
		list x
		list -1
		list --frames zz
		--frames zz list
		list --bogus
		list --source
		list --live 1
		--live 1 list
		list 1 --source can0
		--source can0 list 1
		stats --live 0
		stats --live x
		stats --live 1 --reset
		--reset stats --live 1
		monitor x
		monitor --rules
		load
		load a b
		load -g x a
		load -r a
		apply
		apply a b
		apply --json a
		unapply x
		unapply --source can0
		save x
		save --json
		save --frames zz
		check
		check a b
		--json check a
		flush x
		table x
	END
}

wrong_setup() {
	statuses 2 "$SETUP" <<-'END'

		--bogus
		--list x
		--version x
		--remove
		--remove --all x
		--remove x --all
		--remove -x
		--remove a/b
		--remove ..
		bus
		bus=
		=sja1000.can0
		a/b=sja1000.can0
		bus=,
		bus:=sja1000.can0
		bus:a/b=1=sja1000.can0
		bus:slowdown=1
		bus=sja1000
		bus=sja1000.a/b
		bus=.can0
		bus=sja1000.can0:clock
		bus=sja1000.can0:=1
		bus=sja1000.can0:a/b=1
		good=sja1000.can0 bus
	END
}

answers() {
	expect 0 "usage: canroute [OPTION...] COMMAND" "$BIN/canroute" --help &&
		expect 0 "usage: canroute" "$BIN/canroute" -h nosuch &&
		expect 0 "usage: canroute" "$BIN/canroute" help &&
		expect 0 "usage: canroute" "$BIN/canroute" add --help &&
		expect 0 "usage: canroute" "$BIN/canroute" --json table --help &&
		expect 0 "from IF to IF" "$BIN/canroute" help rule &&
		expect 0 "usage: cansim-setup" "$SETUP" --help
}

# Each program prints its name and the same version.
versions() {
	local program version

	version=$("$SETUP" --version) && version=${version#cansim-setup } && [ -n "$version" ] ||
		return
	for program in "$BIN"/* "$SETUP" "$TESTS/../canreport/canreport"; do
		run "$program" --version
		echo "$program: $status $out $err"
		[ "$status:$out:$err" = "0:$(basename "$program") $version:" ] || return
	done
	for program in canroute canqueue; do
		run sh -c '"$1" --version >/dev/full' sh "$BIN/$program"
		[ "$status" = 3 ] || return
		run sh -c '"$1" --help >/dev/full' sh "$BIN/$program"
		[ "$status" = 3 ] || return
	done
}

# Without a gateway the command fails, but not because of its options.
options_first() {
	local line words

	while IFS= read -r line; do
		read -ra words <<<"$line"
		run "$BIN/canroute" "${words[@]}"
		echo "$line: $status $err"
		[ "$status" != 2 ] || return
	done <<-'END'
		-j table
		--json table
		table --json
		-s lo table
		--source lo --json list
		-s lo list -j
		-f cc -n name list --rules
		--source=lo save
		-jz stats
		-j -- list
	END
}

checks_files() {
	echo "from can0 to can1 id 123" >"$WORK/good" && echo "from can0" >"$WORK/bad" &&
		expect 0 "1 rules" "$BIN/canroute" check "$WORK/good" &&
		expect 1 "1 error" "$BIN/canroute" check "$WORK/bad" &&
		expect 3 "$WORK/none" "$BIN/canroute" check "$WORK/none" &&
		run sh -c '"$1" check "$2" >/dev/full' sh "$BIN/canroute" "$WORK/good" &&
		[ "$status" = 3 ]
}

names_both_ways() {
	echo "from can0 to can1 id 12345678/1FFFFFFF" >"$WORK/file" &&
		expect 1 "write 92345678/9FFFFFFF for extended frames only, 0x12345678/1FFFFFFF" \
			"$BIN/canroute" check "$WORK/file" &&
		expect 1 "file:1:22: '12345678/1FFFFFFF' is ambiguous" \
			"$BIN/canroute" check "$WORK/file" &&
		sed -i 's/id .*/id 92345678\/9FFFFFFF/' "$WORK/file" &&
		expect 0 "1 rules" "$BIN/canroute" check "$WORK/file" &&
		sed -i 's/id .*/id 0x12345678\/1FFFFFFF/' "$WORK/file" &&
		expect 0 "1 rules" "$BIN/canroute" check "$WORK/file" &&
		echo "-s can0 -d can1 -f 12345678:1FFFFFFF" >"$WORK/file" &&
		expect 0 "1 rules" "$BIN/canroute" check "$WORK/file"
}

# The rule is parsed before the connection to the kernel is opened.
wrong_rules() {
	statuses 1 "$BIN/canroute" <<-'END'
		add from can0
		add from can0 to can1 id 12345678/1FFFFFFF
		add -s can0
		replace 1 from can0
		add from can0 to can1 lifetime 50ms
		add from can0 to can1 express lifetime 50
		replace 1 from can0 to can1 express lifetime
	END
}

# offers WORD...: what completion offers for the last WORD of a command line
offers() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	bash -c '. "$0"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _canroute
		printf "%s\n" "${COMPREPLY[@]}"' "$TESTS/../completion/canroute" "$@"
}

completes() {
	local rule=(canroute add from can0 to can1)

	[ "$(offers "${rule[@]}" exp)" = express ] &&
		[ "$(offers "${rule[@]}" express lif)" = lifetime ] &&
		[ -z "$(offers "${rule[@]}" express lifetime '')" ] &&
		grep -qx name <<<"$(offers "${rule[@]}" express lifetime 50ms '')"
}

checks_express() {
	cat >"$WORK/express" <<-'END'
		from can0 to can1 express
		from can0 to can1 id 123 express lifetime 50ms
		from can0 to can1 frames fd express
		from can0 to can1 not id 123 express
		from can0 to can1 lifetime 50ms
		from can0 to can1 express lifetime 50
	END
	expect 1 "express:3: express rules are for Classical CAN" "$BIN/canroute" check \
		"$WORK/express" &&
		grep -q "express:4: filter of an express rule is inverted" "$WORK/run.err" &&
		grep -q "express:5:28: 'lifetime' requires 'express'" "$WORK/run.err" &&
		grep -q "express:6:36: lifetime must be a duration .*, not '50'" "$WORK/run.err" &&
		grep -q "4 errors" "$WORK/run.err"
}

planned=10
WORK=$(mktemp -d)
trap clean_up EXIT
check "canroute: wrong usage exits with 2" wrong_canroute
check "cansim-setup: wrong usage exits with 2" wrong_setup
check "help exits with 0" answers
check "each program prints its version" versions
check "canroute: options are accepted before and after the command" options_first
check "canroute: check exits with 0, 1 or 3" checks_files
check "canroute: an ambiguous filter is rejected with both alternatives" names_both_ways
check "canroute: check finds wrong express rules" checks_express
check "canroute: completion offers express and lifetime" completes
check "canroute: an invalid rule exits with 1" wrong_rules
finish
