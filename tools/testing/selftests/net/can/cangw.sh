#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cangw of can-utils (2020.11 and later) with the kernel under test: each option
# reaches the kernel, rules are listed as they were given, errors of the kernel
# become exit statuses. The gw_ programs test the kernel's part for all kinds of rules.
#
# The expected lists and frames are written out. The CRC8 of the digits 1 to 9 is that
# of the catalogues, 4B for SAE J1850.
#
# One thread, and one CPU: see can_one_cpu().

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

CASES=(
	"list: rules are listed as they were given, the newest first"
	"list_long: a list may need many netlink messages"
	"counters: handled, dropped and deleted frames are listed"
	"modifications: -m and -M change identifier, flags, length and data"
	"filter: -f selects by identifier and mask, with a tilde all others"
	"checksums: -x, -c and -p put checksums into the data"
	"echo: -e shows forwarded frames on the destination"
	"timestamp: -t keeps the time of reception"
	"same_interface: -i allows the interface that a frame came from"
	"uid: -u names a rule whose modifications can be exchanged"
	"delete: -D removes the first equal rule and nothing else"
	"flush: -F removes all rules"
	"bad_options: cangw refuses what it cannot parse"
	"bad_rules: the kernel refuses impossible rules"
	"unprivileged: listing needs no privilege, changes do"
)

# exit statuses of cangw: its own, and the negative errno of the kernel's answer
BAD_USE=1
EPERM=$((256 - 1))
ENODEV=$((256 - 19))
EINVAL=$((256 - 22))

# operands of zeros for the data of a Classical CAN and of a CAN FD frame
CC0=0000000000000000
printf -v FD0 '%0128d' 0

# modifications that change nothing: checksums need one
KEEP=AND:I:FFFFFFFF.0.$CC0
KEEP_FD=AND:I:FFFFFFFF.0.0.$FD0

# 16 bytes that differ from each other
SIXTEEN=C0C1C2C3C4C5C6C7C8C9CACBCCCDCECF

can_prepare()
{
	can_need cangw cansend candump taskset
	can_modules can-gw can-raw vcan vxcan ||
		can_skip_all "CAN gateway or virtual CAN not available"
	can_one_cpu
}

# begin() - the interfaces that most cases use
begin()
{
	can_vcan 72 sync0 vcan0 vcan1
	can_dump
}

# list_is() - compare the whole list
#
# The exit status of "cangw -L" is the length of its request and tells nothing.
#
# @*: what follows "cangw -A " in each line
list_is()
{
	local rule want=

	for rule; do
		want+=${want:+$'\n'}"cangw -A $rule"
	done
	can_equal "cangw -L" "$want" "$(cangw -L 2>&1)"
}

# add() - add a rule; with list_is(), "$RULE # ..." is its listing
# @*: the rule, its options in the order of the list
add()
{
	RULE="$*"
	can_do cangw -A "$@"
}

delete()
{
	can_do cangw -D "$@"
}

# forwards() - a frame on vcan0 appears there and as @as on vcan1
forwards()
{
	local frame=$1 as=${2:-$1}

	can_send vcan0 "$frame"
	can_expect "vcan0 $frame" "vcan1 $as"
}

# ignores() - a frame on vcan0 appears nowhere else
ignores()
{
	can_send vcan0 "$1"
	can_expect "vcan0 $1"
	can_quiet
}

# passes() - for each row add a rule, list it, send a frame through it, delete it
# @*: "OPTIONS | FRAME ON vcan0 | FRAME ON vcan1, or nothing"
passes()
{
	local row options sent as

	for row; do
		IFS='|' read -r options sent as <<< "$row"
		# shellcheck disable=SC2086 # these are words
		add -s vcan0 -d vcan1 $options
		list_is "$RULE # 0 handled 0 dropped 0 deleted"
		if [ "${as// /}" ]; then
			forwards "${sent// /}" "${as// /}"
		else
			ignores "${sent// /}"
		fi
		# shellcheck disable=SC2086
		delete -s vcan0 -d vcan1 $options
	done
	list_is
	can_quiet
}

# crc8_table() - the table of a generator polynomial for "cangw -c", in REPLY
crc8_table()
{
	local table="" crc i bit

	for ((i = 0; i < 256; i++)); do
		for ((crc = i, bit = 0; bit < 8; bit++)); do
			crc=$(((crc & 0x80 ? crc << 1 ^ $1 : crc << 1) & 255))
		done
		printf -v table '%s%02X' "$table" $crc
	done
	REPLY=$table
}

max_hops()
{
	cat /sys/module/can_gw/parameters/max_hops
}

##############################################################################
# Lists

test_list()
{
	local options many rules=() want=()

	begin
	list_is
	crc8_table 0x1D
	many="-e -t -i -l 1 -m AND:ILD:001.8.0123456789ABCDEF"
	many+=" -m OR:I:7FF.0.$CC0 -m XOR:L:000.3.$CC0"
	many+=" -m SET:D:000.0.FFFFFFFFFFFFFFFF -u A5"
	many+=" -c 7:0:1:00:00:$REPLY -p 3: -x -1:-8:-2:FF"
	many+=" -f 92345678~DFFFFFFF"

	for options in "" "" -e -t -i "-e -t" "-e -i" "-t -i" "-e -t -i" \
		       -X "-X -e -t -i" "-l 1" "-f 123:7FF" "-f 123~7FF" \
		       "-f 12345678:DFFFFFFF" "-f 92345678:DFFFFFFF" \
		       "-f 001:C00007FF" "-f 000:1" \
		       "-m SET:L:000.9.$CC0" "-m SET:L:000.F.$CC0" \
		       "-m $KEEP -u 1" "-m $KEEP -u DEADBEEF" "$many"; do
		# shellcheck disable=SC2086 # these are words
		add -s vcan0 -d vcan1 $options
		rules=("$RULE" "${rules[@]}")
		want=("$RULE # 0 handled 0 dropped 0 deleted" "${want[@]}")
	done
	list_is "${want[@]}"

	# and each can be given again, to be deleted
	for options in "${rules[@]}"; do
		# shellcheck disable=SC2086
		delete $options
	done
	list_is

	# modifications are listed in the order in which they are done
	can_do cangw -A -s vcan1 -d vcan0 -m SET:L:000.2.$CC0 \
		-m XOR:I:00F.0.$CC0 -m OR:I:501.0.$CC0 -m AND:I:0F2.0.$CC0
	list_is "-s vcan1 -d vcan0 -m AND:I:0F2.0.$CC0 -m OR:I:501.0.$CC0 $(:
		)-m XOR:I:00F.0.$CC0 -m SET:L:000.2.$CC0 $(:
		)# 0 handled 0 dropped 0 deleted"
}

test_list_long()
{
	local i table want=()

	begin
	crc8_table 0x2F
	table=$REPLY

	# 13 KiB: more than cangw reads, and the kernel writes, at once
	for ((i = 0; i < 40; i++)); do
		add -s vcan0 -d vcan1 -m "$KEEP" -c "0:6:7:00:00:$table" \
			-f "$(printf '%03X:7FF' $i)"
		want=("$RULE # 0 handled 0 dropped 0 deleted" "${want[@]}")
	done
	list_is "${want[@]}"
}

test_counters()
{
	begin
	add -s vcan0 -d vcan1 -e
	forwards 123#11
	list_is "$RULE # 1 handled 0 dropped 0 deleted"
	can_do ip link set vcan1 down
	ignores 123#11
	ignores 123#11
	list_is "$RULE # 1 handled 2 dropped 0 deleted"
	can_do cangw -F
	can_do ip link set vcan1 up

	# no frame is so long
	add -s vcan0 -d vcan1 -m SET:L:000.10.$CC0
	ignores 123#11
	list_is "$RULE # 0 handled 0 dropped 1 deleted"
}

##############################################################################
# Frames, by the options of a rule

# The data of a frame that becomes longer ends with zeros. The kernel marks each CAN FD
# frame with FDF, the flag 4.
test_modifications()
{
	local cc=0F0.6.0102FC8040201008 cc_sent=123#A1B2C3D4E5
	local fd=0F0.2.C.0102FC8040201008${FD0:16} fd_sent=123##5A1B2C3D4E5F60718

	begin
	passes "-e -m AND:ILD:$cc | $cc_sent | 020#0102C080" \
	       "-e -m OR:ILD:$cc | $cc_sent | 1F3#A1B2FFD4E52010" \
	       "-e -m XOR:ILD:$cc | $cc_sent | 1D3#A0B03F" \
	       "-e -m SET:ILD:$cc | $cc_sent | 0F0#0102FC804020" \
	       "-e -m SET:I:$cc | $cc_sent | 0F0#A1B2C3D4E5" \
	       "-e -m SET:L:$cc | $cc_sent | 123#A1B2C3D4E500" \
	       "-e -m SET:D:$cc | $cc_sent | 123#0102FC8040" \
	       "-e -m SET:I:92345678.0.$CC0 | 123#1122 | 12345678#1122" \
	       "-e -m OR:I:40000000.0.$CC0 | 123#1122 | 123#R2" \
	       "-X -e -M AND:IFLD:$fd | $fd_sent | 020##40102C08040200008" \
	       "-X -e -M OR:IFLD:$fd | $fd_sent | 1F3##7A1B2FFD4E5F6171800000000" \
	       "-X -e -M XOR:IFLD:$fd | $fd_sent | 1D3##7A0B03F54" \
	       "-X -e -M SET:IFLD:$fd | $fd_sent | 0F0##60102FC804020100800000000" \
	       "-X -e -M SET:I:$fd | $fd_sent | 0F0##5A1B2C3D4E5F60718" \
	       "-X -e -M SET:F:$fd | $fd_sent | 123##6A1B2C3D4E5F60718" \
	       "-X -e -M SET:L:$fd | $fd_sent | 123##5A1B2C3D4E5F6071800000000" \
	       "-X -e -M SET:D:$fd | $fd_sent | 123##50102FC8040201008" \
	       "-e | 123##411 |" "-X -e | 123#11 |"
}

test_filter()
{
	begin
	passes "-e -f 123:7FF | 123#11 | 123#11" \
	       "-e -f 123:7FF | 1FFFF923#22 | 1FFFF923#22" \
	       "-e -f 123:7FF | 122#11 |" \
	       "-e -f 123:C00007FF | 123#11 | 123#11" \
	       "-e -f 123:C00007FF | 123#R |" \
	       "-e -f 123:C00007FF | 00000123#11 |" \
	       "-e -f 92345678:DFFFFFFF | 12345678#11 | 12345678#11" \
	       "-e -f 92345678:DFFFFFFF | 678#11 |" \
	       "-e -f 123~7FF | 122#11 | 122#11" \
	       "-e -f 123~7FF | 123#11 |"
}

# Profile 2 adds byte 3 of SIXTEEN, as the low nibble of byte 1 says, and profile 3
# both bytes of the identifier, XORed.
test_checksums()
{
	local sent=123#0123456789ABCDEF crc digits=313233343536373839

	begin
	crc8_table 0x1D
	crc=0:6:7:FF:FF:$REPLY
	passes "-e -m $KEEP -x 0:6:7:A5 | $sent | 123#0123456789ABCD4A" \
	       "-e -m $KEEP -x -1:-7:-8:FF | $sent | 123#FE23456789ABCDEF" \
	       "-e -m $KEEP -c $crc | $sent | 123#0123456789ABCD1A" \
	       "-e -m $KEEP -c -1:-7:-8:5A:C3:$REPLY | $sent | 123#D723456789ABCDEF" \
	       "-e -m $KEEP -c $crc -p 1:42 | $sent | 123#0123456789ABCD0D" \
	       "-e -m $KEEP -c $crc -p 2:$SIXTEEN | $sent | 123#0123456789ABCD36" \
	       "-e -m $KEEP -c $crc -p 3: | $sent | 123#0123456789ABCD99" \
	       "-X -e -M $KEEP_FD -c 0:8:9:FF:FF:$REPLY $(:
	       )| 123##5${digits}000000 | 123##5${digits}4B0000" \
	       "-X -e -M $KEEP_FD -x 0:8:-1:A5 $(:
	       )| 123##5${digits}000000 | 123##5${digits}000094"
}

# vx1 is the peer of vx0, so it receives all frames that vx0 sends
test_echo()
{
	begin
	can_vxcan vx0 vx1

	add -s vcan0 -d vx0
	can_send vcan0 123#11
	can_expect "vcan0 123#11" "vx1 123#11"
	can_quiet
	can_do cangw -F

	add -s vcan0 -d vx0 -e
	can_send vcan0 123#22
	can_expect_set "vcan0 123#22" "vx1 123#22" "vx0 123#22"
	can_quiet
}

# times() - times of a frame on vcan0 and of the same on vcan1, in two variables
times()
{
	can_send vcan0 "$1"
	can_expect "vcan0 $1"
	RECEIVED=$CAN_TIME
	can_expect "vcan1 $1"
	FORWARDED=$CAN_TIME
}

# The kernel begins to take times a while after candump has asked for them, and
# until then candump shows when it read the frame. The first pair of equal times
# tells that it has begun.
test_timestamp()
{
	local deadline=$((SECONDS + WAIT_TIMEOUT)) i

	begin
	add -s vcan0 -d vcan1 -e -t
	times 123#00
	while [ "$RECEIVED" -ne "$FORWARDED" ]; do
		[ $SECONDS -le $deadline ] || can_fail "never equal times"
		times 123#00
	done
	for ((i = 1; i <= 8; i++)); do
		times "123#0$i"
		can_equal "time with -t" "$RECEIVED" "$FORWARDED"
	done

	can_do cangw -F
	add -s vcan0 -d vcan1 -e
	times 124#00
	[ "$FORWARDED" -ge "$RECEIVED" ] || can_fail "forwarded before received"
}

test_same_interface()
{
	begin
	can_rejected $EINVAL "" cangw -A -s vcan0 -d vcan0 -e
	add -s vcan0 -d vcan0 -e -i -m SET:I:200.0.$CC0 -f 123:7FF
	can_send vcan0 123#11 124#22
	can_expect_set "vcan0 123#11" "vcan0 200#11" "vcan0 124#22"
	can_quiet
	list_is "$RULE # 1 handled 0 dropped 0 deleted"
}

##############################################################################
# Changes

test_uid()
{
	begin
	add -s vcan0 -d vcan1 -e -m SET:I:200.0.$CC0 -u A5 -f 100:700
	forwards 123#11 200#11

	# the options of the rule and its counters stay
	can_do cangw -A -s vcan0 -d vcan1 -f 100:700 -u A5 \
		-m OR:I:400.0.$CC0 -x 0:0:1:00
	list_is "-s vcan0 -d vcan1 -e -m OR:I:400.0.$CC0 -u A5 $(:
		)-x 0:0:1:00 -f 100:700 # 1 handled 0 dropped 0 deleted"
	forwards 123#1122 523#1111

	# another identifier is another rule
	add -s vcan0 -d vcan1 -e -m SET:I:300.0.$CC0 -u A6 -f 100:700
	can_send vcan0 123#1122
	can_expect_set "vcan0 123#1122" "vcan1 523#1111" "vcan1 300#1122"

	# to delete, any modification is enough
	delete -s vcan0 -d vcan1 -e -f 100:700 -u A5 -m SET:D:7.7.$CC0
	can_quiet
	list_is "$RULE # 1 handled 0 dropped 0 deleted"
}

test_delete()
{
	local rule i rules=(
		"-s vcan0 -d vcan1" "-s vcan1 -d vcan0" "-s vcan0 -d vcan1 -e"
		"-s vcan0 -d vcan1 -l 1" "-s vcan0 -d vcan1 -m AND:I:7FF.0.$CC0"
		"-s vcan0 -d vcan1 -m AND:L:7FF.0.$CC0" "-s vcan0 -d vcan1 -m OR:I:7FF.0.$CC0"
		"-s vcan0 -d vcan1 -m $KEEP -x 0:1:2:00" "-s vcan0 -d vcan1 -m $KEEP -x 0:1:2:01"
		"-s vcan0 -d vcan1 -m $KEEP -u 7" "-s vcan0 -d vcan1 -f 123:7FF"
		"-s vcan0 -d vcan1 -f 123~7FF"
	)

	begin
	can_rejected $EINVAL "" cangw -D -s vcan0 -d vcan1

	# each of them is told from all others, so it is the first to go
	for rule in "${rules[@]}"; do
		# shellcheck disable=SC2086 # these are words
		add $rule
	done
	for ((i = 0; i < ${#rules[@]}; i++)); do
		# shellcheck disable=SC2086
		delete ${rules[i]}
		# shellcheck disable=SC2086
		can_rejected $EINVAL "" cangw -D ${rules[i]}
		can_equal "rules left" $((${#rules[@]} - 1 - i)) \
			"$(cangw -L | grep -c '^cangw -A ')"
	done

	# of equal ones the newest
	add -s vcan0 -d vcan1 -e
	forwards 123#11
	add -s vcan0 -d vcan1 -e
	can_rejected $EINVAL "" cangw -D -s vcan0 -d vcan1
	delete -s vcan0 -d vcan1 -e
	list_is "-s vcan0 -d vcan1 -e # 1 handled 0 dropped 0 deleted"
	delete -s vcan0 -d vcan1 -e
	can_rejected $EINVAL "" cangw -D -s vcan0 -d vcan1 -e
	list_is
}

test_flush()
{
	begin
	can_do cangw -F
	add -s vcan0 -d vcan1 -e
	add -s vcan0 -d vcan1 -e -m "$KEEP" -u 1
	add -s vcan1 -d vcan0 -X -f 123:7FF
	can_do cangw -F
	list_is
	ignores 123#11
}

##############################################################################
# Errors

test_bad_options()
{
	local table options

	begin
	crc8_table 0x1D
	table=$REPLY

	for options in "" "-s vcan0 -d vcan1" -A "-A -s vcan0" "-A -d vcan1" \
		       "-A -s vcan0 -d nodevice" "-D -s nodevice -d vcan1"; do
		# shellcheck disable=SC2086 # these are words
		can_rejected $BAD_USE "" cangw $options
	done

	for options in word "-l 0" "-l x" "-f 123" "-f x:7FF" "-f 123-7FF" \
		       "-m NOT:I:7FF.0.$CC0" "-m :I:7FF.0.$CC0" \
		       "-m AND:F:7FF.0.$CC0" "-m AND::7FF.0.$CC0" \
		       "-m AND:ILDD:7FF.0.$CC0" "-m AND:I:7FF.0" \
		       "-m AND:I:7FF.0.${CC0%?}" "-X -M AND:I:7FF.0.0" \
		       "-X -M AND:I:7FF.0.0.${FD0%?}" \
		       "-X -M AND:X:7FF.0.0.$FD0" "-X -m $KEEP" \
		       "-M AND:I:7FF.0.0.$FD0" "-m $KEEP -x 0:1:2" \
		       "-m $KEEP -x 0:1:2:x" "-m $KEEP -c 0:1:2:00:00" \
		       "-m $KEEP -c 0:1:2:00:00:${table%?}" \
		       "-m $KEEP -c 0:1:2:00:00:$table -p 0:" \
		       "-m $KEEP -c 0:1:2:00:00:$table -p 1:" \
		       "-m $KEEP -c 0:1:2:00:00:$table -p 2:${SIXTEEN%??}" \
		       "-m $KEEP -c 0:1:2:00:00:$table -p 4:" \
		       "-x 0:1:2:00" "-c 0:1:2:00:00:$table"; do
		# shellcheck disable=SC2086
		can_rejected $BAD_USE "" cangw -A -s vcan0 -d vcan1 $options
	done
	list_is
}

test_bad_rules()
{
	local options

	begin
	can_rejected $EINVAL "" cangw -A -s vcan0 -d vcan0
	can_rejected $ENODEV "" cangw -A -s lo -d vcan1
	can_rejected $ENODEV "" cangw -A -s vcan0 -d lo

	crc8_table 0x1D
	for options in "-l $(($(max_hops) + 1))" "-l 255" \
		       "-m $KEEP -x 0:6:8:00" "-m $KEEP -x -9:6:7:00" \
		       "-m $KEEP -c 0:8:7:00:00:$REPLY" \
		       "-m $KEEP -c 0:6:-9:00:00:$REPLY"; do
		# shellcheck disable=SC2086 # these are words
		can_rejected $EINVAL "" cangw -A -s vcan0 -d vcan1 $options
	done
	list_is
}

test_unprivileged()
{
	local user=(setpriv --inh-caps=-all --bounding-set=-all)

	command -v setpriv > /dev/null || can_skip "setpriv is not installed"
	begin
	add -s vcan0 -d vcan1 -e
	can_rejected $EPERM "" "${user[@]}" cangw -A -s vcan1 -d vcan0
	can_rejected $EPERM "" "${user[@]}" cangw -D -s vcan0 -d vcan1 -e
	can_rejected $EPERM "" "${user[@]}" cangw -F
	can_equal "list of a user" \
		"cangw -A $RULE # 0 handled 0 dropped 0 deleted" \
		"$("${user[@]}" cangw -L)"
}

can_main "$@"
