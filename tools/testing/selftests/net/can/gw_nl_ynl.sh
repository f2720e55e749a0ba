#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The gateway's generic netlink family by the kernel's own netlink tools in Python,
# which know of it what the specification says, Documentation/netlink/specs/can-gw.yaml.
#
# They are found in the kernel's tree that this test is in, or by YNL_DIR
# (the tree's tools/net/ynl) and SPEC (the specification).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2034 # for can_main()
CASES=(
	"cli: cli.py adds, shows, lists, and removes a rule"
	"rules: rules of all kinds come back as the specification has them"
	"errors: an error names its attribute"
	"transaction: rules of one source are replaced at once"
	"notifications: changes are notified with the names of the specification"
)

TREE=$CAN_DIR/../../../../..
export YNL_DIR=${YNL_DIR:-$TREE/tools/net/ynl}
export SPEC=${SPEC:-$YNL_DIR/../../../Documentation/netlink/specs/can-gw.yaml}
YNL=$YNL_DIR/cli.py
[ -e "$YNL" ] || YNL=$YNL_DIR/pyynl/cli.py

can_prepare()
{
	can_baseline && return
	can_need python3 ip
	can_modules vcan can-gw || can_skip_all "no can-gw module"
	[ -e "$YNL" ] || can_skip_all "no cli.py in $YNL_DIR (YNL_DIR)"
	[ -e "$SPEC" ] || can_skip_all "no specification $SPEC (SPEC)"
	python3 -B "$YNL" --spec "$SPEC" --no-schema --list-ops > /dev/null 2>&1 ||
		can_skip_all "$YNL does not work here"
}

# interfaces() - the case begins
interfaces()
{
	if can_baseline; then
		can_skip "needs the patched modules"
	fi
	can_vcan 2060 in0 in1 out
}

# python_case() - run a case of gw_nl_ynl.py
python_case()
{
	interfaces
	can_do python3 -B "$CAN_DIR/gw_nl_ynl.py" "$1"
}

# ynl() - what cli.py answers is in REPLY
ynl()
{
	REPLY=$(python3 -B "$YNL" --spec "$SPEC" --no-schema --output-json "$@" 2>&1) ||
		can_fail "cli.py $*: $REPLY"
}

# index_of() - the index of an interface
index_of()
{
	ip -o link show dev "$1" | cut -d : -f 1
}

test_cli()
{
	local rule handle

	interfaces
	rule="\"source\": $(index_of in0), \"destination\": $(index_of out)"
	ynl --do rule-add --json "{$rule, \"name\": \"one\", \"set\": {\"id\": 291}}"
	handle=$(tr -dc '0-9' <<< "$REPLY")
	[ -n "$handle" ] || can_fail "no handle: $REPLY"
	ynl --do rule-get --json "{\"handle\": $handle}"
	[[ $REPLY = *'"name": "one"'* && $REPLY = *'"set": {"id": 291}'* ]] ||
		can_fail "rule-get: $REPLY"
	ynl --dump rule-get
	[[ $REPLY = *"\"handle\": $handle"* ]] || can_fail "dump: $REPLY"
	ynl --do rule-del --json "{\"handle\": $handle}"
	ynl --dump rule-get
	can_equal "dump" "[]" "$REPLY"
}

test_rules() { python_case rules; }
test_errors() { python_case errors; }
test_transaction() { python_case transaction; }
test_notifications() { python_case notifications; }

can_main "$@"
