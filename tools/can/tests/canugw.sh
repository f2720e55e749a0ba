#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canugw on virtual interfaces. canmix sends a mixture of frames into the gateway and
# verifies what comes out of it.
#
#	canmix a0 ══ a1 canugw b1 ══ b0 canmix		vxcan pairs
#	canmix v0 ─── canugw ─── v1 canmix		vcan that echoes (echo=1), where
#							canmix is a program of the same host
#
# Takes some minutes in an emulated machine.
#
# The functions below are called by check.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

VARIANTS="read-write readnb-write readbusy-write readbusynoirq-write mmap-mmap mmap-write
	mmapbusy-mmap mmapbusy-write readnb-mmap mmsg-mmsg uring"
# one variant for each way to receive, and one for each way to send
RX_VARIANTS="read-write readnb-write mmap-write mmapbusy-write mmsg-mmsg uring"
TX_VARIANTS="read-write mmap-mmap mmsg-mmsg uring"
FRAMES=10000
vcan_is_ours=

begin 62 "$@"
need_modules vxcan can-raw
need_programs "$BIN/canugw" "$HELPERS/canmix" cangen cansend candump setpriv python3 tc

# Begins a command that is to see the /sys of this network namespace.
# shellcheck disable=SC2016
WITH_SYS=(unshare --mount -- sh -c 'mount -t sysfs sysfs /sys && exec "$@"' sh)

UNPRIVILEGED=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all
	--inh-caps -all)

# What readbusynoirq-write wants of its interfaces, where the kernel has it; it does no
# harm to the others.
defer_interrupts() {
	local name

	for name; do
		"${WITH_SYS[@]}" sh -c "cd /sys/class/net/$name &&
			[ ! -e napi_defer_hard_irqs ] ||
			{ echo 100 >napi_defer_hard_irqs && echo 200000 >gro_flush_timeout; }"
	done
}

# offered VARIANT INTERFACE OTHER: the kernel offers what the variant needs; if not, canugw
# has said so, and that is in err.
offered() {
	run "${WITH_SYS[@]}" "$BIN/canugw" --variant "$1" --idle-timeout 1ms "$2" "$3"
	! { [ "$status" = 3 ] && [[ $err == *"this kernel"* || $err == *"is disabled here"* ]]; }
}

# What a test has left running, and how it has left the interfaces.
restore() {
	local left

	for left in $(jobs -p); do
		kill -KILL "$left" 2>/dev/null || true
		wait "$left" 2>/dev/null || true
	done
	tc qdisc del dev b1 root 2>/dev/null || true
	ip link set a1 up
	ip link set b1 up
}

# gateway OPTION...: in the background, with JSON in gw.out, and ready
gateway() {
	start gw "${WITH_SYS[@]}" "$BIN/canugw" --json "$@" && until_says gw "ready:" "$pid"
}

# gateway_ended STATUS [SIGNAL]
gateway_ended() {
	ended "$pid" "${2:-}" && cat "$WORK/gw.err" && [ "$status" = "$1" ]
}

# counts EXPRESSION: Python expression about c, the counts of gw.out, is true.
counts() {
	json gw "(lambda c: $1)(r['counts'])"
}

mix() {
	"$HELPERS/canmix" "$@"
}

# Every frame arrives, unchanged and in order; error frames do not, mapped rings see them.
forwards() {
	local errors=0

	case $1 in
	mmap*) errors=$(((FRAMES + 6) / 7)) ;;
	esac
	gateway --variant "$1" --count "$FRAMES" a1 b1 &&
		mix --count "$FRAMES" --errors a0 b0 &&
		gateway_ended 0 &&
		json gw "r['complete'] and r['options']['variant'] == '$1'" &&
		counts "c['forwarded'] == $FRAMES and c['lost'] == 0" &&
		counts "c['error_frames'] == $errors and c['received'] == $FRAMES + $errors"
}

# The frames of another program of this host and nothing else, both ways at the same time.
forwards_both() {
	gateway --variant "$1" --both v0 v1 &&
		mix --both --count 1000 v0 v1 &&
		gateway_ended 0 INT &&
		counts "c['received'] == c['forwarded'] == 2 * c['in_to_out_forwarded'] == 2000"
}

# Gateways in a row, on interfaces whose echo is made by the CAN core: what one sends, the
# other must not take for its own. b0 and b1 are OUT of both, where marks would be the same
# if they were not of each gateway. @1: variant
chain() {
	local far

	start far "${WITH_SYS[@]}" "$BIN/canugw" --variant "$1" --both c1 b0 && far=$pid &&
		until_says far "ready:" "$far" &&
		gateway --variant "$1" --both a1 b1 &&
		mix --both --count 300 a0 c0 &&
		gateway_ended 0 INT &&
		counts "c['received'] == c['forwarded'] == 600" &&
		ended "$far" INT && [ "$status" = 0 ]
}

# queue COMMAND RATE: b1 sends so fast, and has room for 4 CAN FD frames.
queue() {
	tc qdisc "$1" dev b1 root tbf rate "$2" burst 288 limit 288
}

has_refused() {
	prints "dropped [1-9]" tc -s qdisc show dev b1
}

# An interface that stands still until it has refused a frame; then it goes on.
waits_for_room() {
	local gw

	queue add 80bit && gateway --variant "$1" --count 600 a1 b1 && gw=$pid &&
		start mix "$HELPERS/canmix" --count 600 --window 100 a0 b0 &&
		until_true has_refused && queue change 1gbit &&
		ended "$pid" && cat "$WORK/mix.err" && [ "$status" = 0 ] &&
		pid=$gw && gateway_ended 0 && counts "c['queue_full'] > 0"
}

# Sends 7FF until one of them gets through; then there is room in the receive queue.
send_mark() {
	kill -0 "$watcher" 2>/dev/null || return 0
	cansend a0 "7FF#" && marks=$((marks + 1))
	return 1
}

watches() {
	[ "$(grep -c ' b0 ' /proc/net/can/rcvlist_fil)" = "$1" ]
}

# A gateway that does not run for a while: what it does not forward, it has counted.
counts_lost() {
	local gw watcher marks=0

	gateway --variant "$1" --queue 64 a1 b1 && gw=$pid &&
		start last candump -n 1 b0,7FE:7FF &&
		start mark candump -n 1 b0,7FF:7FF && watcher=$pid && until_true watches 2 &&
		kill -STOP "$gw" && until_true is_stopped "$gw" &&
		cangen a0 -g 0 -n 1000 -I 123 -L 8 &&
		kill -CONT "$gw" && until_true send_mark &&
		cansend a0 "7FE#" && until_says last 7FE && pid=$gw && gateway_ended 1 INT &&
		counts "c['lost'] >= 700 and c['forwarded'] == c['received']" &&
		counts "c['received'] + c['lost'] == 1001 + $marks"
}

# @1: variant, @2: which interface goes down
ends_with_interface() {
	gateway --variant "$1" a1 b1 && mix --count 20 a0 b0 && ip link set "$2" down || return 1
	[ "$2" = a1 ] || cansend a0 "123#" || return 1
	gateway_ended 3 && grep -q "$2: .*down" "$WORK/gw.err" &&
		json gw "not r['complete']" && counts "c['forwarded'] == 20"
}

signal_prints() {
	start gw "$BIN/canugw" a1 b1 && until_says gw "ready:" "$pid" &&
		mix --count 20 a0 b0 && gateway_ended 0 "$1" &&
		grep -q "a1 -> b1" "$WORK/gw.out" && grep -q "forwarded  *20$" "$WORK/gw.out"
}

# What is never going to end by itself is found out after LIMIT.
ends_when_idle() {
	gateway --idle-timeout 1ms a1 b1 && gateway_ended 0 && json gw "r['complete']"
}

# The time is far more than canmix needs, and begins anew with each frame.
idles_after_last() {
	gateway --idle-timeout 10s a1 b1 && mix --count 20 a0 b0 && gateway_ended 0 &&
		json gw "r['complete'] and r['counts']['forwarded'] == 20"
}

no_fd_on_out() {
	local gw

	gateway a1 c1 && gw=$pid &&
		grep -q "c1 cannot send CAN FD frames" "$WORK/gw.err" &&
		start last candump -n 1 c0,456:7FF &&
		until_true grep -q ' c0 ' /proc/net/can/rcvlist_fil &&
		cansend a0 123##1AA && cansend a0 "123#" && cansend a0 345##1BB &&
		cansend a0 "456#" && until_says last 456 && pid=$gw && gateway_ended 1 INT &&
		counts "c['unsendable'] == 2 and c['forwarded'] == 2"
}

# false: this kernel has no CAN XL
link_xl() {
	python3 - 2>/dev/null <<-'PY' && link_vxcan x0 x1 2060
		import socket
		s = socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW)
		s.setsockopt(socket.SOL_CAN_RAW, 7, 1)  # CAN_RAW_XL_FRAMES
	PY
}

# A CAN XL frame as long as a CAN FD one, and then a frame to see that it is past.
ignores_xl() {
	gateway --variant "$1" --count 1 x1 b1 &&
		python3 - <<-'PY' &&
			import socket, struct
			s = socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW)
			s.setsockopt(socket.SOL_CAN_RAW, 7, 1)  # CAN_RAW_XL_FRAMES
			s.bind(("x0",))
			s.send(struct.pack("=IBBHI60x", 0x123, 0x80, 0, 60, 0))
			s.send(struct.pack("=IB3x8x", 0x123, 8))
		PY
		gateway_ended 0 && counts "c['foreign'] == $2"
}

plain_user_forwards() {
	start gw "${UNPRIVILEGED[@]}" "$BIN/canugw" --json --both --count 40 a1 b1 &&
		until_says gw "ready:" "$pid" && mix --both --count 20 a0 b0 && gateway_ended 0
}

uring_disabled() (
	setting=/proc/sys/kernel/io_uring_disabled
	was=$(cat "$setting")

	trap 'echo "$was" >"$setting"' EXIT
	echo 2 >"$setting" && expect 3 "kernel.io_uring_disabled is 2" "$BIN/canugw" -V uring a1 b1
)

# No variant is left out above.
lists_variants() {
	local listed

	listed=$("$BIN/canugw" --list | grep '^[a-z]' | sort) &&
		diff <(tr -s ' \t' '\n' <<<"$VARIANTS" | sort) - <<<"$listed"
}

result_keeps_to_schema() {
	gateway --both a1 b1 && mix --count 20 a0 b0 && gateway_ended 0 INT && keeps_to_schema gw
}

# c_mtu MTU: of c0 and c1
c_mtu() {
	local name

	for name in c0 c1; do
		ip link set "$name" down
		ip link set "$name" mtu "$1" up
	done
}

# promise NAME COMMAND...: check, with nothing left from before
promise() {
	restore
	check "$@"
}

# promise_variant NAME A B COMMAND...: promise, for a variant that may not be offered
promise_variant() {
	local name=$1 a=$2 b=$3

	shift 3
	if offered "$variant" "$a" "$b"; then
		promise "$name" "$@"
	else
		skip "$name" "$err"
	fi
}

# vcan whose driver loops frames back, as controllers do; false: vcan is here and does not
load_vcan() {
	local echo=/sys/module/vcan/parameters/echo

	[ "$(cat "$echo" 2>/dev/null)" != Y ] || return 0
	# With the module go all interfaces of it, also those of others.
	own_machine && modprobe -q -r vcan && modprobe -q vcan echo=1 && [ "$(cat "$echo")" = Y ] &&
		vcan_is_ours=1
}

# Others want it without echo=1, and load it when they need it.
unload_vcan() {
	restore
	ip link del v0
	ip link del v1
	[ -z "$vcan_is_ours" ] || modprobe -q -r vcan || true
}

link_vxcan a0 a1
link_vxcan b0 b1
link_vxcan c0 c1 16
defer_interrupts a1

for variant in $VARIANTS; do
	promise_variant "$variant forwards $FRAMES mixed frames" a1 b1 forwards "$variant"
done

if load_vcan; then
	link_vcan v0
	link_vcan v1
	defer_interrupts v0 v1
	for variant in $VARIANTS; do
		promise_variant "$variant --both forwards others' local frames, not its own" \
			v0 v1 forwards_both "$variant"
	done
	unload_vcan
else
	for variant in $VARIANTS; do
		skip "$variant --both forwards others' local frames, not its own" \
			"vcan has no echo=1, and may not be loaded anew: $NOT_OWN"
	done
fi

c_mtu 72
promise "read-write --both works in a row" chain read-write
promise "mmap-mmap --both works in a row" chain mmap-mmap
c_mtu 16

for variant in $TX_VARIANTS; do
	if modprobe -q sch_tbf; then
		promise_variant "$variant waits for a full interface" a1 b1 \
			waits_for_room "$variant"
	else
		skip "$variant waits for a full interface" "no kernel module sch_tbf"
	fi
done

for variant in $RX_VARIANTS; do
	promise_variant "$variant counts frames that do not fit" a1 b1 counts_lost "$variant"
done
for variant in $RX_VARIANTS; do
	promise_variant "$variant ends when its receiving interface goes down" a1 b1 \
		ends_with_interface "$variant" a1
done
for variant in $TX_VARIANTS; do
	promise_variant "$variant ends when its sending interface goes down" a1 b1 \
		ends_with_interface "$variant" b1
done

promise "SIGINT prints the counters" signal_prints INT
promise "SIGTERM prints the counters" signal_prints TERM
promise "--idle-timeout ends it without a frame" ends_when_idle
promise "--idle-timeout ends it after the last frame" idles_after_last
promise "CAN FD frames for a Classical CAN interface are counted" no_fd_on_out
if link_xl; then
	promise "read-write does not see CAN XL frames" ignores_xl read-write 0
	promise "mmap-write ignores CAN XL frames" ignores_xl mmap-write 1
else
	skip "read-write does not see CAN XL frames" "this kernel has no CAN XL"
	skip "mmap-write ignores CAN XL frames" "this kernel has no CAN XL"
fi
promise "read-write --both needs no privilege" plain_user_forwards
promise "mmap says which privilege it lacks" \
	expect 3 CAP_NET_RAW "${UNPRIVILEGED[@]}" "$BIN/canugw" -V mmap-mmap a1 b1
if offered readbusynoirq-write a1 b1; then
	promise "readbusynoirq-write refuses an interface that does not put interrupts off" \
		expect 3 "echo 100 > /sys/class/net/b1/napi_defer_hard_irqs" \
		"${WITH_SYS[@]}" "$BIN/canugw" -V readbusynoirq-write b1 a1
else
	skip "readbusynoirq-write refuses an interface that does not put interrupts off" "$err"
fi
promise "readbusynoirq-write is not misled by a /sys of other interfaces" \
	expect 3 "/sys does not show" "$BIN/canugw" -V readbusynoirq-write a1 b1
if ! own_machine; then
	skip "uring says that io_uring is disabled" "$NOT_OWN"
elif [ -e /proc/sys/kernel/io_uring_disabled ]; then
	promise "uring says that io_uring is disabled" uring_disabled
else
	skip "uring says that io_uring is disabled" "no sysctl kernel.io_uring_disabled"
fi
if python3 -c 'import jsonschema' 2>/dev/null; then
	promise "JSON keeps to the schema" result_keeps_to_schema
else
	skip "JSON keeps to the schema" "Python has no jsonschema"
fi
promise "--list names each variant" lists_variants
promise "an interface that is not there" expect 3 "interface none does not exist" "$BIN/canugw" a1 none
promise "one interface twice" expect 3 "same interface" "$BIN/canugw" a1 a1
promise "an unknown variant" expect 2 "--list" "$BIN/canugw" --variant none a1 b1
promise "a duration without a unit" expect 2 "not a duration" "$BIN/canugw" --idle-timeout 5 a1 b1
finish
