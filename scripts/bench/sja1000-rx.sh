# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Receiving with an SJA1000: frames go from one emulated controller, one at a time,
to a real-time reader behind another on the same bus. The way of a frame is split at the time stamp that
the kernel gives it behind the receiving driver: before it lie the sender and the interrupts of both drivers,
behind it the network stack, waking the reader, and its system call. What the receiving driver costs by itself
is what a third controller on the bus adds, which nobody reads from. Instruction counting takes a register
access for one instruction, and a real PCI read takes about a microsecond: so the accesses per frame are
counted too, in a run of their own. Outside a virtual machine: can0, can1 and can2 on one bus, of cards that
kvaser_pci drives; can0 and can1 up, can2 down.'
BENCH_CAN=0,0,0
BENCH_ICOUNT=3 # 125 MIPS, the class of the papers' CPU: what the controller takes is time

TRACING=/sys/kernel/tracing
FRAMES=1000

# On a real machine they are up already, at the bit rate of their bus.
bus_up() {
	[[ $(ip -br link show dev "$1" up) ]] || ip link set "$1" up type can bitrate 1000000
}

probe_registers() {
	mountpoint -q $TRACING || mount -t tracefs tracefs $TRACING
	{
		echo 'p:can/read kvaser_pci_read_reg priv=%di:x64'
		echo 'p:can/write kvaser_pci_write_reg priv=%di:x64 port=%si:s32 value=%dx:u8'
	} >$TRACING/kprobe_events
	echo 'hist:keys=priv' >$TRACING/events/can/read/trigger
	echo 'hist:keys=priv' >$TRACING/events/can/write/trigger
	# a probe has one histogram per filter; this one only says who receives:
	# who writes "release receive buffer" (4) to the command register (1)
	echo 'hist:keys=priv:name=release if port == 1 && value == 4' >>$TRACING/events/can/write/trigger
}

forget_registers() {
	echo '!hist:keys=priv' >$TRACING/events/can/read/trigger
	echo '!hist:keys=priv' >$TRACING/events/can/write/trigger
	echo '!hist:keys=priv:name=release if port == 1 && value == 4' >>$TRACING/events/can/write/trigger
	echo >$TRACING/kprobe_events
}

# accesses EVENT PRIV: how many the first histogram of EVENT counts for PRIV, which
# is compared as text: awk's numbers are not exact enough for an address
accesses() {
	awk -v priv="$2" '/^# event histogram/ { if (n++) exit } /^{ priv:/ && $3 "" == priv "" { print $NF }' \
		"$TRACING/events/can/$1/hist"
}

receiver() {
	awk '/^# event histogram/ { n++ } n == 2 && /^{ priv:/ { print $3 }' $TRACING/events/can/write/hist
}

per_frame() {
	awk -v total="$1" -v frames="$2" 'BEGIN { printf "%.2f", total / frames }'
}

# path CASE ARGUMENT…: the way of frames from can0 to can1
path() {
	local case=$1
	shift
	measure "$case" canbench-path --count $FRAMES "$@" can0 can1
}

bench() {
	local frames=$((FRAMES + FRAMES / 10 + 1)) priv
	modprobe kvaser_pci
	bus_up can0
	bus_up can1
	path "8 bytes"
	path "no data" --length 0

	probe_registers
	canbench-path --count $FRAMES can0 can1
	priv=$(receiver)
	figure "registers read, receiver" "$(per_frame "$(accesses read "$priv")" $frames)" "accesses"
	figure "registers written, receiver" "$(per_frame "$(accesses write "$priv")" $frames)" "accesses"
	forget_registers

	bus_up can2
	path "8 bytes, third controller"
	path "no data, third controller" --length 0
	difference "8 bytes, receiving driver" \
		"8 bytes, third controller, write to reader" "8 bytes, write to reader"
	difference "no data, receiving driver" \
		"no data, third controller, write to reader" "no data, write to reader"
}
