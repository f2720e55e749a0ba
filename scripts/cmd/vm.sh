#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules kernel vm; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab vm [OPTION…] [-- COMMAND [ARGUMENT…]]

	Boots a virtual machine on the host's file system and runs COMMAND in it as
	root, in the current directory; exits with its exit status. Without COMMAND, runs
	an interactive shell; exit it to stop the virtual machine. Only files below build/
	are written to the host; other changes are lost when the virtual machine stops.

	  --kernel stock    Debian's 6.12 kernel (the default)
	  --kernel rt       Debian's 6.12 PREEMPT_RT kernel
	  --kernel debug    the patched tree, built with KASAN, lockdep, RCU and
	                    atomic-sleep debugging
	  --baseline        the distribution's own CAN modules instead of ours; sets
	                    CAN_BASELINE=1 in the virtual machine
	  --icount N        count instructions: the clock of the virtual machine advances
	                    2^N ns with each instruction; implies one CPU
	  --cpus N          number of CPUs (default 2)
	  --can LAYOUT      the CAN bus of each SJA1000 controller (default 0,1,0,1: four
	                    controllers, can0 and can2 on one bus, can1 and can3 on
	                    another); "none" for no controllers; or simulated buses,
	                    the arguments of cansim-setup as one word:
	                    'bus0=mpc5200.can0,sja1000.can1 bus1=mcp2515.can2'
	  --timeout S       give up after S seconds, with status 124

	"modprobe kvaser_pci" in the virtual machine creates the interfaces can0, can1, …,
	in the order of LAYOUT. modprobe prefers our modules. The kernel log is also
	written to build/log/console.log.

	example: ./lab vm --kernel rt -- sh -c 'modprobe vcan && modinfo -n vcan'
	END
}

option_value() {
	[[ $# -ge 2 && $2 ]] || die "$1 needs a value (see ./lab vm --help)"
	printf '%s' "$2"
}

number() {
	[[ $2 =~ ^[0-9]+$ ]] || die "$1 needs a number, not \"$2\""
}

command=()
while (($#)); do
	case $1 in
	--kernel)
		VM_FLAVOUR=$(option_value "$@")
		[[ $VM_FLAVOUR =~ ^(stock|rt|debug|debug-rt)$ ]] ||
			die "--kernel is stock, rt, debug or debug-rt: \"$VM_FLAVOUR\""
		shift
		;;
	--baseline) VM_KIND=baseline ;;
	--icount)
		VM_ICOUNT=$(option_value "$@")
		number --icount "$VM_ICOUNT"
		((VM_ICOUNT <= 10)) || die "--icount is at most 10: \"$VM_ICOUNT\""
		shift
		;;
	--cpus)
		VM_CPUS=$(option_value "$@")
		number --cpus "$VM_CPUS"
		shift
		;;
	--can)
		VM_CAN=$(option_value "$@")
		vm_check_layout
		shift
		;;
	--timeout)
		VM_TIMEOUT=$(option_value "$@")
		number --timeout "$VM_TIMEOUT"
		shift
		;;
	-h | --help)
		usage
		exit 0
		;;
	--)
		shift
		command=("$@")
		((${#command[@]})) || die "there is no command after -- (see ./lab vm --help)"
		break
		;;
	*)
		die "unknown option \"$1\" (a command stands after --; see ./lab vm --help)"
		;;
	esac
	shift
done

vm_prepare
vm_run "${command[@]}"
