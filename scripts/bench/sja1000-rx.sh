# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='Receiving with an SJA1000: frames go, one at a time, from one emulated controller to a real-time reader
on another one on the same bus. The cost is split at the timestamp of the kernel: before it are the sender and the
interrupts of both drivers, after it the network stack, the wake-up of the reader, and its system call. A third
controller on the bus, whose frames no application reads, adds the cost of the receiving driver alone. Because a
register access counts as one instruction, and a real PCI read takes about a microsecond, accesses per frame are counted,
too, in a separate run. With --native: can0, can1 and can2 on one bus, of cards with the driver kvaser_pci; can0 and
can1 are up, can2 is down.'
BENCH_CAN=0,0,0
BENCH_ICOUNT=3 # 125 MIPS, as slow as the CPUs in the literature

TRACING=/sys/kernel/tracing
FRAMES=1000

# On a host with real controllers they are up already, at the bit rate of their bus.
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
	# A probe has one histogram per filter. This one finds the receiver, which writes
	# "release receive buffer" (4) to the command register (1).
	echo 'hist:keys=priv:name=release if port == 1 && value == 4' >>$TRACING/events/can/write/trigger
}

forget_registers() {
	echo '!hist:keys=priv' >$TRACING/events/can/read/trigger
	echo '!hist:keys=priv' >$TRACING/events/can/write/trigger
	echo '!hist:keys=priv:name=release if port == 1 && value == 4' >>$TRACING/events/can/write/trigger
	echo >$TRACING/kprobe_events
}

# accesses EVENT PRIV: the count for PRIV in the first histogram of EVENT. PRIV is compared as
# text, because numbers of awk are not exact enough for an address.
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

# path CASE ARGUMENT…: measure frames from can0 to can1
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
