# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The virtual machine: virtme-ng boots a kernel in QEMU with emulated SJA1000
# controllers, on the file system of the host, which is read-only except for build/.

VM_FLAVOUR=stock     # stock, rt, debug, or debug-rt: the debug kernel with PREEMPT_RT
VM_KIND=patched      # patched or baseline
VM_CPUS=2
VM_CAN=0,1,0,1       # the bus of each controller can0, can1, …; or arguments of cansim-setup
VM_ICOUNT=
VM_PLUGIN=           # a plugin of QEMU, with its arguments
VM_SPIN=             # with VM_ICOUNT: a program of the lowest priority always runs
VM_LEAKS=            # enable kmemleak in the debug kernel
VM_TIMEOUT=          # seconds, empty for none
VM_CONSOLE=$LOG/console.log

# Variables of the environment that are passed to tests
VM_SETTINGS=(CAN_FUZZ_MESSAGES CAN_FUZZ_SECONDS CAN_FUZZ_SEED CAN_CHURN_FRAMES
	CAN_GW_ROUNDS CAN_GW_RULES SIM_FRAMES SIM_SLOWDOWN SIM_CLOCK_COUNTS HARMLESS_ALL
	EXPRESS_COUNT EXPRESS_FULL EXPRESS_LOADS EXPRESS_PAGELIST EXPRESS_PERIOD
	EXPRESS_ROUTES EXPRESS_SHIFT EXPRESS_TRAFFIC EXPRESS_WAYS LATE_COUNT LATE_LOAD LATE_MIN
	LATE_PAGELIST LATE_RATE LATE_ROUTE LATE_WAY LOSS_CHIPS LOSS_RATES LOSS_PINGS LOSS_OPTIONS
	LOSS_FAIR RT_CHIPS RT_FRAMES RT_LOADS RT_PERIOD RT_FAIR RT_TRAFFIC RT_WAIT RT_RX
	TRANSMIT_CHIPS TRANSMIT_COUNT TRANSMIT_PRIORITY TRANSMIT_WAITING)

# kvm_probe LOG: boot a guest with KVM. If the guest uses a register or an instruction
# that an emulated KVM does not have, QEMU prints an error and waits for a debugger.
# So QEMU is killed after that message, or after a minute.
kvm_probe() {
	local log=$1 pid status=1
	: >"$log"
	VM_ICOUNT='' VM_TIMEOUT='' vm_qemu kvm true >>"$log" 2>&1 </dev/null &
	pid=$!
	for _ in {1..60}; do
		if ! kill -0 "$pid" 2>/dev/null; then
			wait "$pid" && status=0
			break
		fi
		grep -q 'KVM internal error' "$log" && break
		sleep 1
	done
	kill -- -"$pid" 2>/dev/null || :
	wait "$pid" 2>/dev/null || :
	return $status
}

# kvm_works: can KVM run this kernel? Because /dev/kvm may be an emulated one, a guest
# is booted once per boot of the host. The result is stored in build/kvm.
kvm_works() {
	local boot_id answer=no
	boot_id=$(</proc/sys/kernel/random/boot_id)
	if ! stamp_fresh "$BUILD/kvm" "$boot_id yes" && ! stamp_fresh "$BUILD/kvm" "$boot_id no"; then
		if [[ -r /dev/kvm && -w /dev/kvm ]]; then
			say "trying whether KVM can run a guest here"
			# a process group of its own
			(set -m; kvm_probe "$LOG/kvm-probe.log") 2>/dev/null && answer=yes
		fi
		stamp_write "$BUILD/kvm" "$boot_id $answer"
	fi
	stamp_fresh "$BUILD/kvm" "$boot_id yes"
}

# can_devices: options of QEMU for VM_CAN, a bus for each number and a controller for
# each entry. Linux names the controllers in this order.
can_devices() {
	local bus
	[[ $VM_CAN == none || $VM_CAN == *=* ]] && return
	for bus in $(tr , '\n' <<<"$VM_CAN" | sort -un); do
		printf -- '-object can-bus,id=bus%d ' "$bus"
	done
	for bus in ${VM_CAN//,/ }; do
		printf -- '-device kvaser_pci,canbus=bus%d ' "$bus"
	done
}

vm_check_layout() {
	[[ $VM_CAN =~ ^(none|[0-9](,[0-9])*)$ || $VM_CAN == *=* ]] ||
		die "--can wants the bus of each controller, for example 0,1,0,1, or simulated buses, for example bus0=sja1000.can0,sja1000.can1, or none: \"$VM_CAN\""
}

# vm_qemu kvm|tcg [COMMAND]: boot BOOT_KERNEL. virtme-ng opens its standard output and
# error again by name, which would truncate a file, so it gets pipes. It sends the
# kernel's console to /dev/null; "-set" sends it to a log. no5lvl selects four levels of
# page tables: with five, the kernel sometimes had a page fault in the direct map while
# it booted under the emulation of QEMU 7.2 on a loaded host. Tests that count instructions
# have a CPU without CMPXCHG16B: when the clock interrupts behind that instruction, QEMU 7.2
# sometimes has something else in EFLAGS, and the kernel ends with a double fault. Figures of
# benchmarks would not be comparable any more, so these keep it.
vm_qemu() {
	local accel=$1 qemu memory=1G args=() status=0 limit=()
	shift
	[[ $VM_FLAVOUR == debug* ]] && memory=2G
	qemu="$(can_devices) -set chardev.console.path=$VM_CONSOLE"
	[[ $VM_ICOUNT ]] && qemu+=" -icount shift=$VM_ICOUNT,sleep=off"
	[[ $VM_SPIN ]] && qemu+=" -cpu max,-cx16"
	[[ $VM_PLUGIN ]] && qemu+=" -plugin $VM_PLUGIN"
	[[ $accel == tcg ]] && args+=(--disable-kvm)
	[[ $VM_TIMEOUT ]] && limit=(timeout --foreground -k 5 "$VM_TIMEOUT")
	args+=(
		--disable-microvm --user root --memory "$memory" --cpus "$VM_CPUS"
		--run "$BOOT_KERNEL" --rwdir "$BUILD" --qemu-opts="$qemu"
		--append 'loglevel=6 no5lvl'
	)
	[[ $VM_SPIN ]] && args+=(--append noautogroup)
	[[ $VM_LEAKS ]] && args+=(--append kmemleak=on)
	if (($# == 0)); then
		PATH=$VENV/bin:$PATH vng "${args[@]}"
		return
	fi
	PATH=$VENV/bin:$PATH "${limit[@]}" "$VENV/bin/vng" "${args[@]}" -- "$@" \
		2> >(cat >&2) </dev/null | cat || status=$?
	return $status
}

# vm_script SCRIPT COMMAND…: write the script that runs in the virtual machine; a script
# keeps the quoting of arguments.
#
# With VM_ICOUNT, the clock of a virtual machine that waits for a file of the host jumps
# to the next timer, because no instructions are executed. A test with a timeout would
# then fail. With VM_SPIN, a program always runs, and the clock advances only with
# instructions.
vm_script() {
	local script=$1 word
	shift
	{
		echo '#!/bin/bash'
		printf 'cd %q\n' "$PWD"
		[[ $VM_KIND == baseline ]] && echo 'export CAN_BASELINE=1'
		printf 'export YNL_DIR=%q\n' "$TREE/tools/net/ynl"
		for word in "${VM_SETTINGS[@]}"; do
			[[ ! ${!word:-} ]] || printf 'export %s=%q\n' "$word" "${!word}"
		done
		if [[ $VM_CAN == *=* ]]; then
			printf '%q %s || exit\n' "$LAB_ROOT/tools/can/cansim-setup/cansim-setup" "$(printf '%q ' $VM_CAN)"
		fi
		[[ $VM_SPIN ]] && echo "chrt -i 0 sh -c 'while :; do :; done' &"
		printf 'exec'
		for word in "$LAB_ROOT/scripts/guest/command" "$@"; do
			printf ' %q' "$word"
		done
		echo
	} >"$script"
	chmod +x "$script"
}

# vm_prepare: build everything for VM_FLAVOUR and VM_KIND; sets BOOT_KERNEL
vm_prepare() {
	lock_build
	need_basics
	if [[ $VM_FLAVOUR == debug* ]]; then
		[[ $VM_KIND == patched ]] ||
			die "--baseline needs a kernel of the distribution, and the debug kernel is our own build: use --kernel stock or rt"
		need_own_boot "$VM_FLAVOUR"
	else
		need_boot "$VM_FLAVOUR" "$VM_KIND"
	fi
}

# vm_run COMMAND…: run COMMAND as root in the prepared virtual machine; returns its status
vm_run() {
	local accel=tcg script status=0
	if [[ $VM_ICOUNT ]]; then
		VM_CPUS=1
		say "$VM_FLAVOUR kernel, $VM_KIND modules, QEMU counting instructions (2^$VM_ICOUNT ns each)"
	elif kvm_works; then
		accel=kvm
		say "$VM_FLAVOUR kernel, $VM_KIND modules, with KVM"
	else
		say "$VM_FLAVOUR kernel, $VM_KIND modules, in QEMU's emulation (KVM does not work here)"
	fi
	unlock_build
	if (($# == 0)); then
		vm_qemu "$accel"
		return
	fi
	mkdir -p "$BUILD/vm"
	script=$(mktemp "$BUILD/vm/command.XXXXXX")
	vm_script "$script" "$@"
	vm_qemu "$accel" "$script" || status=$?
	rm -f "$script"
	return $status
}
