#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules kernel vm; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab run [--kernel stock|rt|debug] [--baseline]

	The main job, from nothing: builds the CAN modules from the patched sources, boots
	Debian's 6.12 kernel in a virtual machine with four emulated SJA1000 controllers
	on two CAN buses at 1 Mbit/s, routes frames from one bus to the other with
	"cangw -A -s can0 -d can1", and checks every one of them.

	        bus 0                gateway                bus 1
	  can2 ──────── can0 ──── cangw ──── can1 ──────── can3
	  sends                                          receives

	Then the same across two simulated controllers of different kinds (cansim): in by
	an MSCAN at 500 kbit/s, out by an MCP2515 at 1 Mbit/s.

	Prints what candump sees on both buses, what cangw and ip count, and in its last
	line whether every frame arrived unchanged and in order. The exit status is 0
	only then.

	  --kernel FLAVOUR  another kernel (see ./lab vm --help)
	  --baseline        the distribution's own CAN modules
	END
}

while (($#)); do
	case $1 in
	--kernel)
		VM_FLAVOUR=${2:-}
		[[ $VM_FLAVOUR =~ ^(stock|rt|debug)$ ]] ||
			die "--kernel is stock, rt or debug: \"$VM_FLAVOUR\""
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

# The sender is in the same machine. With a second CPU it would go on sending
# while an emulated interrupt waits for the host to run the first one, and
# overrun a receive FIFO for reasons that have nothing to do with CAN.
VM_CPUS=1
VM_CAN=0,1,0,1
VM_TIMEOUT=${VM_TIMEOUT:-540}

vm_prepare
vm_run "$LAB_ROOT/scripts/guest/run" "$LAB_ROOT/tools/can/cansim-setup/cansim-setup"
