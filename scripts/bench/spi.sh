# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='SPI messages, transfers and bytes for each frame that an MCP2515 receives (cansim), while frames of eight bytes
come one by one, or fill a bus of 1 Mbit/s, and how many frames are read then. The interrupt line cannot be read by the
driver (the default), or can, or the SPI controller ignores cs_change.'
BENCH_CAN=none

BUS=/sys/kernel/config/cansim/bus0
NODE=$BUS/mcp2515.can0
GEN=$BUS/generator.gen
COUNTERS=(spi_messages spi_transfers spi_bytes)

# generate COUNT PERIOD
generate() {
	echo "$1" >$GEN/count
	echo "$2" >$GEN/period_ns
	echo 1 >$GEN/run
	while (($(<$GEN/run))); do
		sleep 0.01
	done
	sleep 0.1
}

setup() {
	"$(dirname "$FILE")/../../tools/can/cansim-setup/cansim-setup" "$@"
}

frames_read() {
	echo $(($(<$NODE/received) - $(<$NODE/overruns)))
}

# counted NAME COUNT PERIOD
counted() {
	local counter before=() received i
	received=$(frames_read)
	for counter in "${COUNTERS[@]}"; do
		before+=("$(<"$NODE/$counter")")
	done
	generate "$2" "$3"
	received=$(($(frames_read) - received))
	for i in "${!COUNTERS[@]}"; do
		figure "$1, ${COUNTERS[i]#spi_}" \
			"$(awk -v n="$(($(<"$NODE/${COUNTERS[i]}") - before[i]))" -v frames=$received \
				'BEGIN { printf "%.2f", n / frames }')" "for a frame"
	done
	figure "$1, read" "$received" "for $2 frames"
}

# board NAME ATTRIBUTES
board() {
	setup "bus0=mcp2515.can0$2,generator.gen"
	ip link set can0 up type can bitrate 1000000
	counted "$1, one by one" 1000 2000000
	counted "$1, full bus" 4000 0
	setup --remove --all
}

bench() {
	for_now /proc/sys/kernel/printk 1
	board "line unreadable" ""
	board "line readable" ":irq_unreadable=0"
	board "cs_change ignored" ":cs_change=0"
}
