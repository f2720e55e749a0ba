#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The CAN gateway as its users meet it: through cangw, cansend and candump of
# can-utils (2020.11 and later). What a rule lists, what it does to a frame,
# and what is refused.
#
# The texts that "cangw -L" has to print are written out, and the frames that
# have to arrive are computed here, from the operands and with the textbook
# definitions of the checksums.
#
# One thread, and one CPU: see can_one_cpu().

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

CASES=(
	"list: rules are listed as they were given, the newest first"
	"list_options: each option is listed in its place"
	"list_long: a list may need many netlink messages"
	"delete: -D removes the first equal rule and nothing else"
	"delete_device: a rule goes with either of its interfaces"
	"flush: -F removes all rules of the namespace"
	"netns: rules belong to their network namespace"
	"unprivileged: anybody lists, only an administrator changes"
	"forward: frames of every format pass unchanged"
	"fan_out: every rule of an interface gets its copy"
	"classic_only: a rule without -X passes no CAN FD frames"
	"fd_only: a rule with -X passes only CAN FD frames"
	"echo: -e shows forwarded frames on the destination"
	"timestamp: -t keeps the time of reception"
	"same_interface: -i allows the interface that a frame came from"
	"dropped: frames that the destination cannot take are counted"
	"mod_classic: AND OR XOR SET on each choice of I L D"
	"mod_fd: AND OR XOR SET on choices of I F L D"
	"mod_order: modifications are done as AND OR XOR SET"
	"mod_id_flags: a modified identifier may change the format"
	"mod_len8: lengths 9 to F of a Classical CAN frame are its DLC"
	"mod_len_invalid: frames with an impossible length are deleted"
	"uid: -u names a rule whose modifications can be exchanged"
	"uid_alone: -u has no meaning without a modification"
	"filter: -f selects by identifier and mask"
	"filter_inverted: -f with a tilde selects all others"
	"filter_none: a filter of zeros is none"
	"csum_xor: -x puts an XOR checksum into the data"
	"csum_crc8: -c puts a CRC8 into the data"
	"csum_profiles: -p adds a byte to the CRC8"
	"csum_fd: checksums of CAN FD frames reach all 64 bytes"
	"csum_both: the XOR checksum sees the CRC8"
	"hops: a frame is forwarded max_hops times, then deleted"
	"hops_limit: -l lowers the limit for frames that a rule begins with"
	"bad_options: cangw refuses what it cannot parse"
	"bad_rules: the kernel refuses impossible rules"
)

# exit statuses of cangw: its own, and the negative errno of the kernel's answer
BAD_USE=1
EPERM=$((256 - 1))
ENODEV=$((256 - 19))
EINVAL=$((256 - 22))

# a modification that changes nothing: checksums need one
KEEP=AND:I:FFFFFFFF.0.0000000000000000

# 16 bytes that tell their place
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

##############################################################################
# Arithmetic on hexadecimal texts, result in REPLY

# hex_op() - an operation of a modification, byte by byte
hex_op()
{
	local op=$1 left=$2 right=$3 i a b

	REPLY=
	for ((i = 0; i < ${#left}; i += 2)); do
		a=$((16#${left:i:2}))
		b=$((16#${right:i:2}))
		case $op in
		AND) a=$((a & b)) ;;
		OR) a=$((a | b)) ;;
		XOR) a=$((a ^ b)) ;;
		SET) a=$b ;;
		esac
		printf -v REPLY '%s%02X' "$REPLY" "$a"
	done
}

# hex_zeros() - @text filled up with zeros to @digits
hex_zeros()
{
	local text=$1 digits=$2

	REPLY=$text
	while [ ${#REPLY} -lt "$digits" ]; do
		REPLY+=0
	done
}

# hex_count() - @digits / 2 bytes that count up from @first in steps of @step
hex_count()
{
	local digits=$1 first=$2 step=$3

	REPLY=
	while [ ${#REPLY} -lt "$digits" ]; do
		printf -v REPLY '%s%02X' "$REPLY" $((first & 255))
		first=$((first + step))
	done
}

# hex_put() - replace byte @index of @data by @value
hex_put()
{
	local data=$1 index=$2 value=$3

	printf -v REPLY '%s%02X%s' "${data:0:index * 2}" "$value" \
		"${data:index * 2 + 2}"
}

# crc8() - CRC8 of bytes, bit by bit; REPLY is a decimal number
# @poly: the generator polynomial without its highest bit
# @init: value of the register before the first byte
crc8()
{
	local poly=$1 crc=$2 data=$3 i bit

	for ((i = 0; i < ${#data}; i += 2)); do
		crc=$((crc ^ 16#${data:i:2}))
		for ((bit = 0; bit < 8; bit++)); do
			crc=$(((crc & 0x80 ? crc << 1 ^ poly : crc << 1) & 255))
		done
	done
	REPLY=$crc
}

# crc8_table() - the table that "cangw -c" needs
crc8_table()
{
	local poly=$1 table i byte

	for ((i = 0; i < 256; i++)); do
		printf -v byte '%02X' $i
		crc8 "$poly" 0 "$byte"
		printf -v table '%s%02X' "${table:-}" "$REPLY"
	done
	REPLY=$table
}

# range() - the bytes of @data that a checksum reads, in REPLY
# @from: index of the first byte; negative counts from the end
# @to: index of the last byte, possibly before the first one
range()
{
	local data=$1 from=$2 to=$3 step=1 out=

	[ "$from" -le "$to" ] || step=-1
	while :; do
		out+=${data:from * 2:2}
		[ "$from" -ne "$to" ] || break
		from=$((from + step))
	done
	REPLY=$out
}

##############################################################################
# The list of rules

test_list()
{
	begin
	list_is

	add -s vcan0 -d vcan1
	list_is "-s vcan0 -d vcan1 # 0 handled 0 dropped 0 deleted"

	add -s vcan1 -d vcan0 -e
	add -s vcan0 -d vcan1
	list_is "-s vcan0 -d vcan1 # 0 handled 0 dropped 0 deleted" \
		"-s vcan1 -d vcan0 -e # 0 handled 0 dropped 0 deleted" \
		"-s vcan0 -d vcan1 # 0 handled 0 dropped 0 deleted"
}

test_list_options()
{
	local options table many rules=() want=()

	begin
	crc8_table 0x1D
	table=$REPLY
	many="-e -t -i -l 1 -m AND:ILD:001.8.0123456789ABCDEF"
	many+=" -m OR:I:7FF.0.0000000000000000"
	many+=" -m XOR:L:000.3.0000000000000000"
	many+=" -m SET:D:000.0.FFFFFFFFFFFFFFFF -u A5"
	many+=" -c 7:0:1:00:00:$table -p 3: -x -1:-8:-2:FF"
	many+=" -f 92345678~DFFFFFFF"

	for options in -e -t -i "-e -t" "-e -i" "-t -i" "-e -t -i" \
		       -X "-X -e -t -i" "-l 1" "-f 123:7FF" "-f 123~7FF" \
		       "-f 12345678:DFFFFFFF" "-f 92345678:DFFFFFFF" \
		       "-f 001:C00007FF" "-f 000:1" \
		       "-m $KEEP -u 1" "-m $KEEP -u DEADBEEF" \
		       "-m $KEEP -x 0:6:7:A5" "-m $KEEP -x -8:-2:-1:00" \
		       "-m $KEEP -c 1:7:0:0F:F0:$table" \
		       "-m $KEEP -c 1:7:0:0F:F0:$table -p 1:42" \
		       "-m $KEEP -c 1:7:0:0F:F0:$table -p 2:$SIXTEEN" \
		       "-m $KEEP -c 1:7:0:0F:F0:$table -p 3:" \
		       "$many"; do
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

test_delete()
{
	local rules=(
		"-s vcan0 -d vcan1"
		"-s vcan1 -d vcan0"
		"-s vcan0 -d vcan1 -e"
		"-s vcan0 -d vcan1 -l 1"
		"-s vcan0 -d vcan1 -m AND:I:7FF.0.0000000000000000"
		"-s vcan0 -d vcan1 -m AND:L:7FF.0.0000000000000000"
		"-s vcan0 -d vcan1 -m OR:I:7FF.0.0000000000000000"
		"-s vcan0 -d vcan1 -m $KEEP -x 0:1:2:00"
		"-s vcan0 -d vcan1 -m $KEEP -x 0:1:2:01"
		"-s vcan0 -d vcan1 -m $KEEP -u 7"
		"-s vcan0 -d vcan1 -f 123:7FF"
		"-s vcan0 -d vcan1 -f 123~7FF"
	) rule i

	begin
	can_refused $EINVAL "" cangw -D -s vcan0 -d vcan1

	# each of them is told from all others, so it is the first to go
	for rule in "${rules[@]}"; do
		# shellcheck disable=SC2086 # these are words
		add $rule
	done
	for ((i = 0; i < ${#rules[@]}; i++)); do
		# shellcheck disable=SC2086
		delete ${rules[i]}
		# shellcheck disable=SC2086
		can_refused $EINVAL "" cangw -D ${rules[i]}
		can_equal "rules left" $((${#rules[@]} - 1 - i)) \
			"$(cangw -L | grep -c '^cangw -A ')"
	done

	# of equal ones the newest
	add -s vcan0 -d vcan1 -e
	forwards 123#11
	add -s vcan0 -d vcan1 -e
	can_quiet
	delete -s vcan0 -d vcan1 -e
	list_is "-s vcan0 -d vcan1 -e # 1 handled 0 dropped 0 deleted"
	forwards 123#22
	can_quiet
}

test_delete_device()
{
	local other=""

	begin
	can_vcan 72 vcan2 vcan3
	setup_ns other || can_skip "no named network namespaces"

	add -s vcan0 -d vcan1 -e
	add -s vcan0 -d vcan2
	add -s vcan2 -d vcan0
	add -s vcan1 -d vcan3
	add -s vcan3 -d vcan1
	can_do ip link del vcan2
	list_is "-s vcan3 -d vcan1 # 0 handled 0 dropped 0 deleted" \
		"-s vcan1 -d vcan3 # 0 handled 0 dropped 0 deleted" \
		"-s vcan0 -d vcan1 -e # 0 handled 0 dropped 0 deleted"

	can_do ip link set vcan3 netns "$other"
	list_is "-s vcan0 -d vcan1 -e # 0 handled 0 dropped 0 deleted"
	can_equal "rules beside vcan3" "" "$(ip netns exec "$other" cangw -L)"

	forwards 123#11
	can_quiet
}

test_flush()
{
	begin
	can_do cangw -F
	list_is

	add -s vcan0 -d vcan1 -e
	add -s vcan0 -d vcan1 -e -m "$KEEP" -u 1
	add -s vcan1 -d vcan0 -X -f 123:7FF
	can_do cangw -F
	list_is
	ignores 123#11
}

test_netns()
{
	local other=""

	begin
	setup_ns other || can_skip "no named network namespaces"
	add -s vcan0 -d vcan1 -e

	can_equal "rules elsewhere" "" "$(ip netns exec "$other" cangw -L)"
	can_do ip netns exec "$other" cangw -F
	list_is "-s vcan0 -d vcan1 -e # 0 handled 0 dropped 0 deleted"
	forwards 123#11
}

test_unprivileged()
{
	local user=(setpriv --inh-caps=-all --bounding-set=-all)

	command -v setpriv > /dev/null || can_skip "setpriv is not installed"
	begin
	add -s vcan0 -d vcan1 -e

	can_refused $EPERM "" "${user[@]}" cangw -A -s vcan1 -d vcan0
	can_refused $EPERM "" "${user[@]}" cangw -D -s vcan0 -d vcan1 -e
	can_refused $EPERM "" "${user[@]}" cangw -F
	can_equal "list of a user" \
		"cangw -A $RULE # 0 handled 0 dropped 0 deleted" \
		"$("${user[@]}" cangw -L)"
}

##############################################################################
# Forwarding

test_forward()
{
	local frame bytes=1122334455667788 len
	local frames=(000# 7FF#A5 00000000# 1FFFFFFF#A5 123#R 123#R8
		      12345678#R4 123##4 123##5 123##7 1FFFFFFF##511)

	for ((len = 0; len <= 8; len++)); do
		frames+=("123#${bytes:0:len * 2}")
	done
	for len in 1 8 12 16 20 24 32 48 64; do
		hex_count $((len * 2)) "$len" 3
		frames+=("123##5$REPLY")
	done

	begin
	add -s vcan0 -d vcan1 -e
	add -s vcan0 -d vcan1 -e -X
	for frame in "${frames[@]}"; do
		forwards "$frame"
	done
	can_quiet
	list_is "-s vcan0 -d vcan1 -X -e # 13 handled 0 dropped 0 deleted" \
		"-s vcan0 -d vcan1 -e # 16 handled 0 dropped 0 deleted"
}

test_fan_out()
{
	begin
	can_vcan 72 vcan2
	add -s vcan0 -d vcan1 -e
	add -s vcan0 -d vcan2 -e
	add -s vcan0 -d vcan2 -e -m SET:I:200.0.0000000000000000
	can_send vcan0 123#11
	can_expect_set "vcan0 123#11" "vcan1 123#11" "vcan2 123#11" \
		"vcan2 200#11"
	can_send vcan1 124#22
	can_expect "vcan1 124#22"
	can_quiet
}

test_classic_only()
{
	begin
	add -s vcan0 -d vcan1 -e
	ignores 123##411
	forwards 123#11
	can_quiet
	list_is "$RULE # 1 handled 0 dropped 0 deleted"
}

test_fd_only()
{
	begin
	add -s vcan0 -d vcan1 -X -e
	ignores 123#11
	forwards 123##411
	can_quiet
	list_is "$RULE # 1 handled 0 dropped 0 deleted"
}

# vx1 is the other end of vx0's cable, so it sees what vx0 sends
test_echo()
{
	begin
	can_vxcan vx0 vx1

	add -s vcan0 -d vx0
	can_send vcan0 123#11
	can_expect "vcan0 123#11" "vx1 123#11"
	can_quiet
	list_is "$RULE # 1 handled 0 dropped 0 deleted"
	can_do cangw -F

	add -s vcan0 -d vx0 -e
	can_send vcan0 123#22
	can_expect_set "vcan0 123#22" "vx1 123#22" "vx0 123#22"
	can_quiet
	list_is "$RULE # 1 handled 0 dropped 0 deleted"
}

# times() - times of a frame on vcan0 and of the same on vcan1, in two variables
times()
{
	can_send vcan0 "$1"
	can_next "vcan0 $1"
	can_equal "next frame" "vcan0 $1" "$CAN_SEEN"
	RECEIVED=$CAN_TIME
	can_next "vcan1 $1"
	can_equal "next frame" "vcan1 $1" "$CAN_SEEN"
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
	can_refused $EINVAL "" cangw -A -s vcan0 -d vcan0 -e
	add -s vcan0 -d vcan0 -e -i -m SET:I:200.0.0000000000000000 -f 123:7FF
	can_send vcan0 123#11 124#22
	can_expect_set "vcan0 123#11" "vcan0 200#11" "vcan0 124#22"
	can_quiet
	list_is "$RULE # 1 handled 0 dropped 0 deleted"
}

test_dropped()
{
	begin
	can_vcan 16 vcan2

	add -s vcan0 -d vcan1 -e
	can_do ip link set vcan1 down
	ignores 123#11
	list_is "$RULE # 0 handled 1 dropped 0 deleted"
	can_do ip link set vcan1 up
	forwards 123#22
	can_quiet
	list_is "$RULE # 1 handled 1 dropped 0 deleted"
	can_do cangw -F

	# a destination without CAN FD
	add -s vcan0 -d vcan2 -X -e
	ignores 123##411
	list_is "$RULE # 0 handled 1 dropped 0 deleted"
}

##############################################################################
# Modifications

# one() - add a rule from vcan0 to vcan1, send a frame through it, remove it
# @frame: what is sent
# @as: what arrives
# @*: options of the rule
one()
{
	local frame=$1 as=$2

	shift 2
	add -s vcan0 -d vcan1 "$@"
	list_is "$RULE # 0 handled 0 dropped 0 deleted"
	forwards "$frame" "$as"
	delete -s vcan0 -d vcan1 "$@"
}

# The frame has 5 bytes, so those that a longer one shows come out of zeros.
test_mod_classic()
{
	local operand=0102FC8040201008 op parts id len data

	begin
	for op in AND OR XOR SET; do
		for parts in I L D IL ID LD ILD; do
			id=0123 len=05
			hex_zeros A1B2C3D4E5 16
			data=$REPLY

			if [[ $parts = *I* ]]; then
				hex_op $op $id 00F0
				id=$REPLY
			fi
			if [[ $parts = *L* ]]; then
				hex_op $op $len 06
				len=$REPLY
			fi
			if [[ $parts = *D* ]]; then
				hex_op $op "$data" $operand
				data=$REPLY
			fi
			one 123#A1B2C3D4E5 \
				"${id:1}#${data:0:$((16#$len)) * 2}" \
				-e -m "$op:$parts:0F0.6.$operand"
		done
	done
	can_quiet
}

# The length of 32 and the operand 16 give 0, 48, 48 and 16: lengths of CAN FD.
# Whatever the flags become, the kernel marks each CAN FD frame with FDF (4).
test_mod_fd()
{
	local op parts operand id flags len data sent

	begin
	hex_count 64 $((16#A0)) 7
	sent=$REPLY
	hex_count 128 1 5
	operand=$REPLY

	for op in AND OR XOR SET; do
		for parts in I F L D IL FD IFLD; do
			id=0123 flags=05 len=20
			hex_zeros "$sent" 128
			data=$REPLY

			if [[ $parts = *I* ]]; then
				hex_op $op $id 00F0
				id=$REPLY
			fi
			if [[ $parts = *F* ]]; then
				hex_op $op $flags 02
				hex_op OR "$REPLY" 04
				flags=$REPLY
			fi
			if [[ $parts = *L* ]]; then
				hex_op $op $len 10
				len=$REPLY
			fi
			if [[ $parts = *D* ]]; then
				hex_op $op "$data" "$operand"
				data=$REPLY
			fi
			one "123##5$sent" \
			    "${id:1}##${flags:1}${data:0:$((16#$len)) * 2}" \
			    -X -e -M "$op:$parts:0F0.2.10.$operand"
		done
	done
	can_quiet
}

# 123 AND 0F2 is 022, OR 501 is 523, XOR 00F is 52C
test_mod_order()
{
	begin
	can_do cangw -A -s vcan0 -d vcan1 -e \
		-m SET:L:000.2.0000000000000000 \
		-m XOR:I:00F.0.0000000000000000 \
		-m OR:I:501.0.0000000000000000 \
		-m AND:I:0F2.0.0000000000000000
	list_is "-s vcan0 -d vcan1 -e $(:
		)-m AND:I:0F2.0.0000000000000000 $(:
		)-m OR:I:501.0.0000000000000000 $(:
		)-m XOR:I:00F.0.0000000000000000 $(:
		)-m SET:L:000.2.0000000000000000 $(:
		)# 0 handled 0 dropped 0 deleted"
	forwards 123#11223344 52C#1122
	can_quiet
}

test_mod_id_flags()
{
	local none=0000000000000000

	begin
	one 123#1122 00000123#1122 -e -m OR:I:80000000.0.$none
	one 123#1122 12345678#1122 -e -m SET:I:92345678.0.$none
	one 12345678#1122 678#1122 -e -m AND:I:7FF.0.$none
	one 123#1122 123#R2 -e -m OR:I:40000000.0.$none
	one 123#R2 123#0000 -e -m AND:I:7FF.0.$none
	one 12345678#1122 0DCBA987#1122 -e -m XOR:I:1FFFFFFF.0.$none
	can_quiet
}

# Newer tools print a DLC above 8 behind the data, older ones cannot.
test_mod_len8()
{
	local dlc suffix none=0000000000000000 full=1122334455667788

	begin
	for dlc in 9 A B C D E F; do
		suffix=
		if candump -h 2>&1 | grep -q '^ *-8 '; then
			suffix=_$dlc
		fi
		one 123#$full "123#$full$suffix" -e -m "SET:L:000.$dlc.$none"
		one 123#$full "123#$full$suffix" -e -m "OR:L:000.$dlc.$none"
	done

	# and back: 8 with a DLC of F is F
	one 123#$full 123#$full -e -m SET:L:000.8.$none
	one 123#$full 123#11223344 -e -m XOR:L:000.C.$none
	can_quiet
}

test_mod_len_invalid()
{
	local none=0000000000000000

	begin
	add -s vcan0 -d vcan1 -e -m SET:L:000.10.$none
	ignores 123#11
	list_is "$RULE # 0 handled 0 dropped 1 deleted"
	can_do cangw -F

	add -s vcan0 -d vcan1 -e -m OR:L:000.F0.$none
	ignores 123#11
	list_is "$RULE # 0 handled 0 dropped 1 deleted"
	can_do cangw -F

	hex_zeros "" 128
	add -s vcan0 -d vcan1 -X -e -M "SET:L:000.0.41.$REPLY"
	ignores 123##411
	list_is "$RULE # 0 handled 0 dropped 1 deleted"
}

test_uid()
{
	local none=0000000000000000

	begin
	add -s vcan0 -d vcan1 -e -m SET:I:200.0.$none -u A5 -f 100:700
	forwards 123#11 200#11
	can_quiet

	# the options of the rule and its counters stay, -e as well
	can_do cangw -A -s vcan0 -d vcan1 -f 100:700 -u A5 \
		-m OR:I:400.0.$none -x 0:0:1:00
	list_is "-s vcan0 -d vcan1 -e -m OR:I:400.0.$none -u A5 $(:
		)-x 0:0:1:00 -f 100:700 # 1 handled 0 dropped 0 deleted"
	forwards 123#1122 523#1111
	can_quiet

	# interfaces and filter name the rule, too
	can_refused $EINVAL "" cangw -A -s vcan0 -d vcan1 -f 100:7FF -u A5 \
		-m SET:I:300.0.$none
	can_refused $EINVAL "" cangw -A -s vcan1 -d vcan0 -f 100:700 -u A5 \
		-m SET:I:300.0.$none
	forwards 123#1122 523#1111
	can_quiet

	# another identifier is another rule
	add -s vcan0 -d vcan1 -e -m SET:I:300.0.$none -u A6 -f 100:700
	can_send vcan0 123#1122
	can_expect_set "vcan0 123#1122" "vcan1 523#1111" "vcan1 300#1122"

	# to delete, any modification will do
	can_refused $EINVAL "" cangw -D -s vcan0 -d vcan1 -e -f 100:700 \
		-m OR:I:400.0.$none -x 0:0:1:00
	delete -s vcan0 -d vcan1 -e -f 100:700 -u A5 -m SET:D:7.7.$none
	can_quiet
	list_is "$RULE # 1 handled 0 dropped 0 deleted"
}

test_uid_alone()
{
	begin
	can_do cangw -A -s vcan0 -d vcan1 -e -u A5
	can_do cangw -A -s vcan0 -d vcan1 -e -u A5
	list_is "-s vcan0 -d vcan1 -e # 0 handled 0 dropped 0 deleted" \
		"-s vcan0 -d vcan1 -e # 0 handled 0 dropped 0 deleted"
	delete -s vcan0 -d vcan1 -e
	forwards 123#11
	can_quiet
}

##############################################################################
# Filters

# selects() - which of the frames does a rule with this filter forward?
# @filter: as for -f
# @*: these do pass, and behind "--" those that do not
selects()
{
	local filter=$1 frame passes=1

	shift
	add -s vcan0 -d vcan1 -e -f "$filter"
	for frame; do
		if [ "$frame" = -- ]; then
			passes=
		elif [ "$passes" ]; then
			forwards "$frame"
		else
			can_send vcan0 "$frame"
			can_expect "vcan0 $frame"
		fi
	done
	can_quiet
	can_do cangw -F
}

test_filter()
{
	begin
	# any format
	selects 123:7FF 123#11 123#R 00000123#11 1FFFF923#22 -- 122#11 122#R
	selects 120:7F0 120#11 12F#11 -- 130#11 020#11
	# bits outside the mask are of no account
	selects FFF:7F0 7F0#11 7FF#11 -- 7EF#11
	# only data frames of the base format
	selects 123:C00007FF 123#11 -- 123#R 00000123#11 124#11
	# only the extended format
	selects 92345678:9FFFFFFF 12345678#11 12345678#R -- 678#11 12345679#11
	selects 80000000:80000000 00000000# 1FFFFFFF#11 -- 000# 7FF#11
	# only data frames of the extended format
	selects 92345678:DFFFFFFF 12345678#11 -- 12345678#R 12345679#11
	# only remote requests
	selects 40000000:40000000 123#R 12345678#R -- 123#11 12345678#11
}

test_filter_inverted()
{
	begin
	selects 123~7FF 122#11 122#R 00000124#11 -- 123#11 123#R 00000123#11
	selects 123~C00007FF 123#R 00000123#11 124#11 -- 123#11
	selects 80000000~80000000 123#11 -- 12345678#11
	# nothing differs in no bit
	selects 000~0 -- 123#11 12345678#11
}

test_filter_none()
{
	begin
	can_do cangw -A -s vcan0 -d vcan1 -e -f 0:0
	list_is "-s vcan0 -d vcan1 -e # 0 handled 0 dropped 0 deleted"
	forwards 123#11
	forwards 12345678#R
	delete -s vcan0 -d vcan1 -e
	list_is

	# a mask of zeros with any identifier passes everything
	selects 123:0 000# 123#11 12345678#R --
}

##############################################################################
# Checksums

# index() - what an index means in a frame of @len bytes
index()
{
	REPLY=$(($1 < 0 ? $2 + $1 : $1))
}

# csum() - compute a checksum over the data of a frame and put it there
# @parts: "from to result" as the rule has it
# @data: the data
# @*: function that computes the sum of the bytes behind its own arguments
csum()
{
	local parts=$1 data=$2 len=$((${#2} / 2)) from to result

	shift 2
	read -r from to result <<< "$parts"
	index "$from" $len
	from=$REPLY
	index "$to" $len
	to=$REPLY
	index "$result" $len
	result=$REPLY

	# an index before the first byte: the frame stays as it is
	if [ "$from" -lt 0 ] || [ "$to" -lt 0 ] || [ "$result" -lt 0 ]; then
		REPLY=$data
		return
	fi

	# and so it does for one behind the last byte; without the patches, the
	# zeros that cansend leaves there count, and may be written to
	if ! can_baseline && { [ "$from" -ge "$len" ] ||
	   [ "$to" -ge "$len" ] || [ "$result" -ge "$len" ]; }; then
		REPLY=$data
		return
	fi

	hex_zeros "$data" 16
	range "$REPLY" "$from" "$to"
	"$@" "$REPLY"
	if [ "$result" -lt "$len" ]; then
		hex_put "$data" "$result" "$REPLY"
	else
		REPLY=$data
	fi
}

# sum_xor() - XOR of @init and the bytes
sum_xor()
{
	local sum=$1 data=$2 i

	for ((i = 0; i < ${#data}; i += 2)); do
		sum=$((sum ^ 16#${data:i:2}))
	done
	REPLY=$sum
}

# sum_crc8() - CRC8 with what cangw calls its profile
# @poly: polynomial
# @init: initial value
# @final: XORed in the end
# @more: further bytes, computed as if they stood behind the data
sum_crc8()
{
	crc8 "$1" "$2" "$5$4"
	REPLY=$((REPLY ^ $3))
}

test_csum_xor()
{
	local data parts init

	begin
	for parts in "0 6 7" "6 0 7" "0 0 0" "7 7 0" "1 7 0" "2 5 3" \
		     "0 -2 -1" "-8 -2 -1" "-1 -7 -8" "1 -1 0" "-1 0 2"; do
		for init in 00 A5; do
			add -s vcan0 -d vcan1 -e -m "$KEEP" \
				-x "${parts// /:}:$init"
			list_is "$RULE # 0 handled 0 dropped 0 deleted"
			for data in 0123456789ABCDEF FFEEDDCCBB; do
				csum "$parts" $data sum_xor 0x$init
				forwards 123#$data "123#$REPLY"
			done
			can_do cangw -F
		done
	done
	can_quiet
}

test_csum_crc8()
{
	local data parts poly table rest

	begin
	for poly in 0x1D 0x2F; do
		crc8_table $poly
		table=$REPLY
		for parts in "0 6 7 00 00" "7 1 0 FF FF" "0 -2 -1 5A 00" \
			     "-1 -7 -8 00 C3"; do
			add -s vcan0 -d vcan1 -e -m "$KEEP" \
				-c "${parts// /:}:$table"
			list_is "$RULE # 0 handled 0 dropped 0 deleted"
			rest=${parts% * *}
			for data in 0123456789ABCDEF FFEEDDCCBB; do
				csum "$rest" $data sum_crc8 $poly \
					"0x${parts: -5:2}" "0x${parts: -2}" ""
				forwards 123#$data "123#$REPLY"
			done
			can_do cangw -F
		done
	done
	can_quiet
}

# Bytes 0 to 6 are summed into byte 7.
test_csum_profiles()
{
	local poly=0x2F table data id

	begin
	crc8_table $poly
	table=$REPLY

	add -s vcan0 -d vcan1 -e -m "$KEEP" -c "0:6:7:FF:FF:$table" -p 1:42
	for data in 0123456789ABCDEF 0000000000000000; do
		csum "0 6 7" $data sum_crc8 $poly 0xFF 0xFF 42
		forwards 123#$data "123#$REPLY"
	done
	can_do cangw -F

	# the low nibble of byte 1 chooses one of SIXTEEN
	add -s vcan0 -d vcan1 -e -m "$KEEP" \
		-c "0:6:7:FF:FF:$table" -p "2:$SIXTEEN"
	for data in 0120456789ABCDEF 00D4000000000000 112F334455667788; do
		csum "0 6 7" $data sum_crc8 $poly 0xFF 0xFF \
			"${SIXTEEN:16#${data:3:1} * 2:2}"
		forwards 123#$data "123#$REPLY"
	done
	can_do cangw -F

	# both bytes of a base identifier, XORed
	add -s vcan0 -d vcan1 -e -m "$KEEP" -c "0:6:7:FF:FF:$table" -p 3:
	for id in 000 0FF 123 7FF; do
		data=0123456789ABCDEF
		csum "0 6 7" $data sum_crc8 $poly 0xFF 0xFF \
			"$(printf '%02X' $((16#${id:1} ^ 16#${id:0:1})))"
		forwards "$id#$data" "$id#$REPLY"
	done
	can_quiet
}

# The CRC8 of the digits 1 to 9 is in the catalogues: 4B for SAE J1850, DF for
# the polynomial 2F of AUTOSAR.
test_csum_fd()
{
	local digits=313233343536373839 keep data

	begin
	hex_zeros "" 128
	keep=AND:I:FFFFFFFF.0.0.$REPLY

	crc8_table 0x1D
	one "123##5${digits}000000" "123##5${digits}4B0000" \
		-X -e -M "$keep" -c "0:8:9:FF:FF:$REPLY"
	crc8_table 0x2F
	one "123##5${digits}000000" "123##5${digits}0000DF" \
		-X -e -M "$keep" -c "0:8:-1:FF:FF:$REPLY"

	# the whole frame, into its last and into its first byte
	hex_count 128 1 5
	data=$REPLY
	range "$data" 0 62
	sum_xor 0xA5 "$REPLY"
	hex_put "$data" 63 "$REPLY"
	one "123##5$data" "123##5$REPLY" -X -e -M "$keep" -x 0:62:63:A5
	range "$data" 63 1
	sum_xor 0 "$REPLY"
	hex_put "$data" 0 "$REPLY"
	one "123##5$data" "123##5$REPLY" -X -e -M "$keep" -x -1:-63:-64:00
	can_quiet

	can_refused $EINVAL "" cangw -A -s vcan0 -d vcan1 -X -M "$keep" \
		-x 0:62:64:00
	can_refused $EINVAL "" cangw -A -s vcan0 -d vcan1 -X -M "$keep" \
		-x -65:62:63:00
}

test_csum_both()
{
	local data=0123456789ABCDEF table

	begin
	crc8_table 0x1D
	table=$REPLY
	csum "0 5 6" $data sum_crc8 0x1D 0 0 ""
	csum "0 6 7" "$REPLY" sum_xor 0
	one 123#$data "123#$REPLY" \
		-e -m "$KEEP" -c "0:5:6:00:00:$table" -x 0:6:7:00

	# after the modifications
	csum "0 6 7" FF23456789ABCDEF sum_xor 0
	one 123#$data "123#$REPLY" \
		-e -m OR:D:000.0.FF00000000000000 -x 0:6:7:00
}

##############################################################################
# Hops

max_hops()
{
	cat /sys/module/can_gw/parameters/max_hops
}

# chain() - interfaces hop0 to hop<@count> and a rule from each to the next
# @count: how many rules
# @*: options of the first one
chain()
{
	local count=$1 i

	shift
	for ((i = 0; i <= count; i++)); do
		can_vcan 72 hop$i
	done
	for ((i = 0; i < count; i++)); do
		if [ $i -eq 0 ]; then
			add -s hop0 -d hop1 -e "$@"
		else
			add -s hop$i -d hop$((i + 1)) -e
		fi
	done
}

# chain_passes() - a frame from hop0 comes as far as hop<@last>
chain_passes()
{
	local last=$1 i

	can_send hop0 123#11
	for ((i = 0; i <= last; i++)); do
		can_expect "hop$i 123#11"
	done
	can_quiet "$last"
}

test_hops()
{
	local hops i want=()

	[ -r /sys/module/can_gw/parameters/max_hops ] ||
		can_skip "cannot read max_hops"
	hops=$(max_hops)

	begin
	chain $((hops + 2))
	chain_passes "$hops"
	for ((i = 0; i < hops; i++)); do
		want=("-s hop$i -d hop$((i + 1)) -e $(:
		      )# 1 handled 0 dropped 0 deleted" "${want[@]}")
	done
	want=("-s hop$i -d hop$((i + 1)) -e # 0 handled 0 dropped 1 deleted"
	      "${want[@]}")
	i=$((i + 1))
	want=("-s hop$i -d hop$((i + 1)) -e # 0 handled 0 dropped 0 deleted"
	      "${want[@]}")
	list_is "${want[@]}"
}

# reload() - load the gateway again with another max_hops
#
# The file must be the one it was loaded from before.
reload()
{
	local size

	size=$(cat /sys/module/can_gw/coresize)
	can_do rmmod can_gw
	can_do modprobe can-gw max_hops="$1"
	can_equal "size of the reloaded module" "$size" \
		"$(cat /sys/module/can_gw/coresize)"
}

test_hops_limit()
{
	[ -r /sys/module/can_gw/refcnt ] || can_skip "can-gw is no module"
	can_own_machine || can_skip "$CAN_NOT_OWN"
	[ -z "$(nsenter --net=/proc/$PPID/ns/net cangw -L 2>&1)" ] ||
		can_skip "can-gw is in use"

	OLD_HOPS=$(max_hops)
	# shellcheck disable=SC2317 # can_case_end() calls it
	case_cleanup()
	{
		rmmod can_gw
		modprobe can-gw max_hops="$OLD_HOPS"
	}

	# out of range
	reload 7
	can_equal "largest max_hops" 6 "$(max_hops)"
	reload 0
	can_equal "smallest max_hops" 1 "$(max_hops)"
	reload 3

	begin
	chain 4
	chain_passes 3
	can_do cangw -F
	add -s hop0 -d hop1 -e -l 1
	add -s hop1 -d hop2 -e
	add -s hop2 -d hop3 -e
	chain_passes 1
	list_is "-s hop2 -d hop3 -e # 0 handled 0 dropped 0 deleted" \
		"-s hop1 -d hop2 -e # 0 handled 0 dropped 1 deleted" \
		"-s hop0 -d hop1 -e -l 1 # 1 handled 0 dropped 0 deleted"
	delete -s hop0 -d hop1 -e -l 1
	add -s hop0 -d hop1 -e -l 2
	chain_passes 2
	delete -s hop0 -d hop1 -e -l 2
	add -s hop0 -d hop1 -e -l 3
	chain_passes 3

	# of no account where the frame has been forwarded before
	can_do cangw -F
	add -s hop0 -d hop1 -e
	add -s hop1 -d hop2 -e -l 1
	add -s hop2 -d hop3 -e
	chain_passes 3

	# never back to where it came from, and nobody counts that
	can_do cangw -F
	add -s vcan0 -d vcan1 -e
	add -s vcan1 -d vcan0 -e
	forwards 123#11
	can_quiet 3
	list_is "-s vcan1 -d vcan0 -e # 0 handled 0 dropped 0 deleted" \
		"-s vcan0 -d vcan1 -e # 1 handled 0 dropped 0 deleted"

	# but with -i, round and round
	delete -s vcan1 -d vcan0 -e
	add -s vcan1 -d vcan0 -e -i
	can_send vcan0 123#22
	can_expect "vcan0 123#22" "vcan1 123#22" "vcan0 123#22" "vcan1 123#22"
	can_quiet 3
	list_is "-s vcan1 -d vcan0 -e -i # 1 handled 0 dropped 1 deleted" \
		"-s vcan0 -d vcan1 -e # 3 handled 0 dropped 0 deleted"
}

##############################################################################
# Errors

# bad() - cangw itself refuses these options of a rule
bad()
{
	can_refused $BAD_USE "" cangw -A -s vcan0 -d vcan1 "$@"
}

test_bad_options()
{
	local none=0000000000000000 fdnone table

	begin
	hex_zeros "" 128
	fdnone=$REPLY
	crc8_table 0x1D
	table=$REPLY

	can_refused $BAD_USE "" cangw
	can_refused $BAD_USE "" cangw -s vcan0 -d vcan1
	can_refused $BAD_USE "" cangw -A
	can_refused $BAD_USE "" cangw -A -s vcan0
	can_refused $BAD_USE "" cangw -A -d vcan1
	can_refused $BAD_USE "" cangw -A -s vcan0 -d nodevice
	can_refused $BAD_USE "" cangw -D -s nodevice -d vcan1
	bad word

	bad -l 0
	bad -l x
	bad -f 123
	bad -f x:7FF
	bad -f 123-7FF
	bad -m NOT:I:7FF.0.$none
	bad -m :I:7FF.0.$none
	bad -m AND:F:7FF.0.$none
	bad -m AND::7FF.0.$none
	bad -m AND:ILDD:7FF.0.$none
	bad -m AND:I:7FF.0
	bad -m AND:I:7FF.0.${none%?}
	bad -X -M AND:I:7FF.0.0
	bad -X -M "AND:I:7FF.0.0.${fdnone%?}"
	bad -X -M "AND:X:7FF.0.0.$fdnone"
	bad -X -m $KEEP
	bad -M "AND:I:7FF.0.0.$fdnone"
	bad -m $KEEP -x 0:1:2
	bad -m $KEEP -x 0:1:2:x
	bad -m $KEEP -c 0:1:2:00:00
	bad -m $KEEP -c "0:1:2:00:00:${table%?}"
	bad -m $KEEP -c "0:1:2:00:00:$table" -p 0:
	bad -m $KEEP -c "0:1:2:00:00:$table" -p 1:
	bad -m $KEEP -c "0:1:2:00:00:$table" -p "2:${SIXTEEN%??}"
	bad -m $KEEP -c "0:1:2:00:00:$table" -p 4:
	bad -x 0:1:2:00
	bad -c "0:1:2:00:00:$table"
	list_is
}

# denied() - the kernel refuses a rule with these options as invalid
denied()
{
	can_refused $EINVAL "" cangw -A -s vcan0 -d vcan1 "$@"
}

test_bad_rules()
{
	local table parts

	begin
	crc8_table 0x1D
	table=$REPLY

	can_refused $EINVAL "" cangw -A -s vcan0 -d vcan0
	can_refused $ENODEV "" cangw -A -s lo -d vcan1
	can_refused $ENODEV "" cangw -A -s vcan0 -d lo
	denied -l $(($(max_hops) + 1))
	denied -l 255
	for parts in 0:6:8 0:8:7 8:6:7 -9:6:7 0:-9:7 0:6:-9; do
		denied -m $KEEP -x $parts:00
		denied -m $KEEP -c "$parts:00:00:$table"
	done
	list_is
}

can_main "$@"
