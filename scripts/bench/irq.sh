# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='How long the drivers of SJA1000 and MSCAN keep interrupts off, on simulated controllers (cansim) whose
registers take a microsecond to access, as those of a PCI card. Interrupts are held back until the receive FIFO is full
of frames without data or with eight bytes, or has overrun. In one case, a transmission is completed meanwhile and the
next one waits. The figures are the longest run of the interrupt handler, and the time from the first run to the end of
the last one, per frame. With "poll", a busy-polling reader empties the FIFO, and the longest time is that of one call
of the function that reads the chip with the lock of the ring held. Single frames come one by one. Times are from the
kernel events irq_handler_entry and irq_handler_exit and from kprobes, and include their cost.'
BENCH_CAN=none

TRACING=/sys/kernel/tracing
BUS=/sys/kernel/config/cansim/bus0
GEN=$BUS/generator.gen
ROUNDS=10

# attributes NODE NAME=VALUE…
attributes() {
	local node=$1 setting
	shift
	for setting; do
		echo "${setting#*=}" >"$node/${setting%%=*}"
	done
}

# generate NAME=VALUE…: run the generator to its end
generate() {
	attributes $GEN "$@" run=1
	while (($(<$GEN/run))); do
		sleep 0.001
	done
}

# controller NODE: a bus with NODE, which is can0, and a generator
controller() {
	"$(dirname "$FILE")/../../tools/can/cansim-setup/cansim-setup" "bus0=$1,generator.gen"
	ip link set can0 txqueuelen 100 up type can bitrate 1000000
	NODE=$(echo $BUS/*.can0)
}

remove_controller() {
	"$(dirname "$FILE")/../../tools/can/cansim-setup/cansim-setup" --remove --all
}

# Trace the interrupt of NODE
trace_interrupts() {
	echo "irq == $(<"$NODE/irq")" | tee $TRACING/events/irq/irq_handler_{entry,exit}/filter >/dev/null
	echo 1 | tee $TRACING/events/irq/irq_handler_{entry,exit}/enable >/dev/null
}

trace_function() {
	printf '%s\n' "p:can/call_entry $1" "r:can/call_exit $1" >$TRACING/kprobe_events
	echo 1 >$TRACING/events/can/enable
}

trace_end() {
	echo 0 >$TRACING/events/enable
	[[ ! -d $TRACING/events/can ]] || echo >$TRACING/kprobe_events
}

# traced NAME FRAMES [longest]: add figures from the trace, and clear it. Runs within 50 us
# of each other are one round, whose time includes the time between them.
traced() {
	local runs longest total
	read -r runs longest total < <(awk '
		match($0, /[0-9]+\.[0-9]+: /) { now = substr($0, RSTART, RLENGTH - 2) * 1e6 }
		/_entry: / {
			begin = now
			if (!n || begin - end > 50) {
				total += end - round
				round = begin
			}
		}
		/_exit: / {
			end = now
			n++
			if (end - begin > longest)
				longest = end - begin
		}
		END { printf "%d %.0f %.0f\n", n, longest, total + end - round }' $TRACING/trace)
	figure "$1, longest" "$longest" us
	echo >$TRACING/trace
	[[ ${3:-} != longest ]] || return 0
	figure "$1, per frame" "$(awk -v total="$total" -v frames="$2" 'BEGIN { printf "%.1f", total / frames }')" us
	figure "$1, runs" "$(awk -v runs="$runs" -v frames="$2" 'BEGIN { printf "%.2f", runs / frames }')" "per frame"
}

# Send two extended frames, and wait until the controller has sent frame number $1, the first of
# them. The interrupt handler loads the second one.
transmit() {
	cansend can0 1FFFFFFF#0102030405060708
	cansend can0 1FFFFFFF#0102030405060708
	until (($(<"$NODE/sent") >= $1)); do
		sleep 0.001
	done
}

# held FRAMES NAME=VALUE…: receive frames while interrupts are held back
held() {
	local frames=$1 i
	shift
	for ((i = 0; i < ROUNDS; i++)); do
		echo 1 >"$NODE/irq_hold"
		generate "count=$frames" period_ns=0 "$@"
		[[ ! ${SENDING:-} ]] || transmit $((2 * i + 1))
		echo 0 >"$NODE/irq_hold"
		sleep 0.02 # the second transmission ends
	done
}

# handler CHIP FIT0 FIT8: the FIFO holds FIT0 frames without data, or FIT8 with eight bytes
handler() {
	local chip=$1 fit0=$2 fit8=$3
	controller "$chip.can0:access_ns=1000"
	trace_interrupts
	generate count=200 period_ns=1000000 id=123 dlc=8
	traced "$chip, single frames" 200
	held "$fit0" id=123 dlc=0
	traced "$chip, $fit0 frames without data" $((fit0 * ROUNDS))
	held "$fit8" id=123 dlc=8
	traced "$chip, $fit8 frames of 8 bytes" $((fit8 * ROUNDS))
	held $((fit8 + 3)) id=123 dlc=8
	traced "$chip, $fit8 frames and an overrun" $((fit8 * ROUNDS))
	SENDING=yes held "$fit8" id=123 dlc=8
	traced "$chip, $fit8 frames and a transmission" $((fit8 * ROUNDS))
	trace_end
	remove_controller
}

# A reader that reads while interrupts are held back, and so polls until frames arrive
POLLER='
import socket
import sys

def write(path, value):
    with open(path, "w") as file:
        file.write(str(value))

def generate(count):
    write(gen + "/count", count)
    write(gen + "/run", 1)
    while int(open(gen + "/run").read()):
        pass

node, gen, frames, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
reader = socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW)
reader.setsockopt(socket.SOL_SOCKET, 46, 1000000)  # SO_BUSY_POLL
reader.bind(("can0",))
generate(1)
reader.recv(16)
for _ in range(rounds):
    write(node + "/irq_hold", 1)
    generate(frames)
    for _ in range(frames):
        reader.recv(16)
    write(node + "/irq_hold", 0)
'

# poll CHIP FIT0 FUNCTION
poll() {
	local chip=$1 fit0=$2
	if [[ $(modinfo -n sja1000) != */updates/* ]]; then
		# a poll of 6.12 does not read the chip
		figure "$chip, poll, $fit0 frames without data, longest" 0 us
		return
	fi
	controller "$chip.can0:access_ns=1000"
	attributes $GEN id=123 dlc=0 period_ns=0
	trace_function "$3"
	python3 -c "$POLLER" "$NODE" $GEN "$fit0" $ROUNDS
	traced "$chip, poll, $fit0 frames without data" $((fit0 * ROUNDS)) longest
	trace_end
	remove_controller
}

bench() {
	for_now /proc/sys/kernel/printk 1
	mountpoint -q $TRACING || mount -t tracefs tracefs $TRACING
	echo mono >$TRACING/trace_clock
	handler sja1000 21 5
	handler mpc5200 5 5
	poll sja1000 21 sja1000_ring_read
	poll mpc5200 5 mscan_ring_read
}
