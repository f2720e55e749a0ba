#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules kernel vm; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab run [--kernel stock|rt|debug|debug-rt] [--baseline]

	Builds the CAN modules from the patched sources, boots Debian's 6.12 kernel in a
	virtual machine with four emulated SJA1000 controllers on two CAN buses at
	1 Mbit/s, routes frames from one bus to the other with
	"cangw -A -s can0 -d can1", and checks every frame.

	        bus 0                gateway                bus 1
	  can2 ──────── can0 ──── cangw ──── can1 ──────── can3
	  sends                                          receives

	Then does the same with two different simulated controllers (cansim): frames are
	received by an MSCAN at 500 kbit/s and sent by an MCP2515 at 1 Mbit/s.

	Prints the output of candump on both buses and the counters of cangw and ip. The
	last line tells whether every frame arrived unchanged and in order; only then is
	the exit status 0.

	  --kernel FLAVOUR  another kernel (see ./lab vm --help)
	  --baseline        the distribution's own CAN modules
	END
}

while (($#)); do
	case $1 in
	--kernel)
		VM_FLAVOUR=${2:-}
		[[ $VM_FLAVOUR =~ ^(stock|rt|debug|debug-rt)$ ]] ||
			die "--kernel is stock, rt, debug or debug-rt: \"$VM_FLAVOUR\""
		shift
		;;
	--baseline) VM_KIND=baseline ;;
	-h | --help)
		usage
		exit 0
		;;
	*) die "unknown argument \"$1\" (see ./lab run --help)" ;;
	esac
	shift
done

# The sender is in the same virtual machine. With a second CPU it could go on
# sending while the host does not run the first one, which has to serve an
# emulated interrupt, and a receive FIFO would overrun.
VM_CPUS=1
VM_CAN=0,1,0,1
VM_TIMEOUT=${VM_TIMEOUT:-540}

vm_prepare
vm_run "$LAB_ROOT/scripts/guest/run" "$LAB_ROOT/tools/can/cansim-setup/cansim-setup"
