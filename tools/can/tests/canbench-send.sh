#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canbench-send on a simulated bus: it finds the frames that it has written, and no others, and
# reports those that are not sent. No figure is compared with one that depends on the host.

# check() calls the functions below.
# shellcheck disable=SC2317
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# The interfaces of cansim are in the initial network namespace.
IN_NAMESPACE=1
echo "KTAP version 1"
[ "$(id -u)" = 0 ] || skip_all "needs root"

begin 9 "$@"
need_modules cansim cansim-sja1000 can-raw
need_programs "$BIN/canbench-send" python3
send=$BIN/canbench-send
SETUP=$TESTS/../cansim-setup/cansim-setup
BUS=send$$ IFNAME=send$$ OTHER=/sys/kernel/config/cansim/send$$/generator.other
# A frame of eight bytes takes 2 ms.
BITRATE=50000

make_bus() {
	"$SETUP" "$BUS=sja1000.$IFNAME,generator.other:bitrate=$BITRATE:id=100:dlc=8:count=0" &&
		ip link set "$IFNAME" up type can bitrate "$BITRATE"
}

measured() {
	run "$send" --json --count 20 --label idle "$@" "$IFNAME" "$BUS"
	cp "$WORK/run.out" "$WORK/idle.out"
	echo "$err"
	[ "$status" = 0 ] && json idle "(r['complete'] and r['label'] == 'idle' and
		r['counts'] == {'sent': 20, 'received': 20, 'lost': 0} and
		series['write to first bit']['count'] == 20 and
		series['write to first bit']['min_ns'] > 0)"
}

text() {
	run "$send" --count 3 --priority 0 "$IFNAME" "$BUS"
	[ "$status" = 0 ] && [[ $out =~ ^"$IFNAME: 3 frames written, 3 on $BUS"$'\n'"write to first bit: median " ]]
}

# A frame waits until another one has ended, on the average half of it.
busy() {
	echo 1 >"$OTHER/run"
	run "$send" --json --count 20 --id 080 "$IFNAME" "$BUS"
	cp "$WORK/run.out" "$WORK/busy.out"
	echo "$err"
	[ "$status" = 0 ] && json busy "(r['counts']['received'] == 20 and
		series['write to first bit']['mean_ns'] > 300000)"
}

# The frame loses every arbitration.
not_sent() {
	run "$send" --json --count 20 --id 200 --timeout 300ms "$IFNAME" "$BUS"
	cp "$WORK/run.out" "$WORK/late.out"
	[ "$status" = 1 ] && [[ $err == *"a frame was not sent"* ]] &&
		json late "r['counts'] == {'sent': 1, 'received': 0, 'lost': 1} and not r['complete']"
}

wrong_usage() {
	expect 2 "INTERFACE and BUS" "$send" "$IFNAME" &&
		expect 2 "--priority: 100 is out of bounds" "$send" --priority 100 "$IFNAME" "$BUS" &&
		expect 2 "--length: 9 is out of bounds" "$send" --length 9 "$IFNAME" "$BUS" &&
		expect 3 "cansim/nope/skipped_ns: No such file" "$send" "$IFNAME" nope &&
		expect 3 "interface nope0 does not exist" "$send" nope0 "$BUS"
}

removed() {
	"$SETUP" --remove "$BUS" && ! ip link show "$IFNAME" 2>/dev/null
}

check "a bus" make_bus
check "standard frames" measured
check "extended frames" measured --id 12345678 --length 0
check "text output" text
check "a busy bus" busy
check "a frame that is not sent" not_sent
check "wrong usage" wrong_usage
check "--help" expect 0 "CAP_SYS_NICE" "$send" --help
check "the bus can be removed" removed

finish
