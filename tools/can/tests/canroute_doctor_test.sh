#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canroute doctor on directories that have the files of a system (CANROUTE_ROOT). "make check"
# runs it on any host with cc, objcopy, depmod, python3, setpriv and xz.
#
# check calls the functions below.
# shellcheck disable=SC2317

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

PATH=$PATH:/usr/sbin:/sbin
RELEASE=6.12.117+deb13-amd64
NEWER=6.12.120+deb13-amd64
DKMS=/var/lib/dkms/can-fastpath

# file PATH [TEXT]: make a file of the system
file() {
	mkdir -p "$(dirname "$CANROUTE_ROOT$1")"
	printf '%s\n' "${2:-}" >"$CANROUTE_ROOT$1"
}

link() {
	mkdir -p "$(dirname "$CANROUTE_ROOT$2")"
	ln -sfn "$1" "$CANROUTE_ROOT$2"
}

# object FILE BUILD EXPORT [IMPORT...]: a module with one exported symbol, whose build ID consists
# of the byte BUILD. It has none if BUILD is empty.
object() {
	local to=$1 id=$2 export=$3 import

	shift 3
	mkdir -p "$(dirname "$to")"
	{
		if [ -n "$id" ]; then
			echo '.section .note.gnu.build-id,"a",%note'
			echo '.long 4, 20, 3'
			echo '.asciz "GNU"'
			echo ".fill 20, 1, $id"
		fi
		echo '.section __ksymtab_strings,"a"'
		echo ".asciz \"$export\""
		echo '.data'
		for import; do
			echo ".long $import"
		done
	} | "${COMPILER[@]}" -x assembler -c -o "$to" -
}

# install_module PATH BUILD: the file of a module below /lib/modules/RELEASE
install_module() {
	local name imports=()

	name=$(basename "$1" .ko)
	case $name in
	can | can-dev) ;;
	vcan | kvaser_usb) imports=(can_dev) ;;
	*) imports=(can) ;;
	esac
	object "$CANROUTE_ROOT/lib/modules/$RELEASE/$1" "$2" "${name//-/_}" "${imports[@]}"
}

indices() {
	depmod -C /dev/null -b "$CANROUTE_ROOT" "$RELEASE"
}

# load NAME BUILD [USER,...]: NAME is loaded from a file with this build ID
load() {
	local notes=$CANROUTE_ROOT/sys/module/$1/notes

	echo "$1 40960 0 ${3:--} Live 0x0000000000000000" >>"$CANROUTE_ROOT/proc/modules"
	mkdir -p "$notes"
	[ -n "$2" ] || return 0
	object "$WORK/loaded.o" "$2" "$1" &&
		objcopy -O binary --only-section=.note.gnu.build-id "$WORK/loaded.o" \
			"$notes/.note.gnu.build-id"
}

# interface NAME QUEUE
interface() {
	file "/sys/class/net/$1/type" 280
	file "/sys/class/net/$1/tx_queue_len" "$2"
	file "/sys/class/net/$1/flags" 0x40081
	file "/sys/class/net/$1/threaded" 0
}

# thread PID NAME CLASS PRIORITY
thread() {
	file "/proc/$1/comm" "$2"
	file "/proc/$1/stat" "$1 ($2) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 -51 0 1 0 60 0 0 \
18446744073709551615 0 0 0 0 0 0 0 2147483647 0 0 0 0 17 0 $4 $3 0 0 0"
}

# system NAME [DIRECTORY]: a system without findings: the modules of the kernel package, and those
# of can-fastpath in updates/DIRECTORY, which are loaded
system() {
	export CANROUTE_ROOT=$WORK/$1
	local module

	file /proc/sys/kernel/osrelease "$RELEASE"
	file /proc/sys/kernel/version "#1 SMP PREEMPT_DYNAMIC Debian 6.12.117-1"
	file /etc/os-release 'VERSION_CODENAME=trixie'
	file /proc/2/comm kthreadd
	: >"$CANROUTE_ROOT/proc/modules"
	for module in net/can/can net/can/can-raw net/can/can-gw drivers/net/can/dev/can-dev \
		drivers/net/can/vcan; do
		install_module "kernel/$module.ko" 1
		install_module "updates/${2-$module}${2+/${module##*/}}.ko" 2
	done
	mkdir -p "$CANROUTE_ROOT/lib/modules/$RELEASE/build"
	touch "$CANROUTE_ROOT/lib/modules/$RELEASE"/modules.{order,builtin,builtin.modinfo}
	indices
	load can_gw 2
	load vcan 2
	load can_dev 2 vcan,
	load can 2 can_gw,
	file /proc/sys/net/can/gw_max_rules 65536
}

# installed_by_dkms RELEASE: can-fastpath 0.2 is
installed_by_dkms() {
	link /usr/src/can-fastpath-0.2 "$DKMS/0.2/source"
	link "0.2/$1/x86_64" "$DKMS/kernel-$1-x86_64"
	for module in can can-raw can-gw can-dev vcan; do
		file "$DKMS/0.2/$1/x86_64/module/$module.ko.xz"
	done
}

doctor() {
	"$BIN/canroute" doctor "$@"
}

# The columns of a table depend on other rows.
two_spaces() {
	sed -E 's/([^ ])   +/\1  /g'
}

# reports STATUS LINE...: canroute doctor exits with STATUS and prints these lines one after
# another, with two spaces between columns
reports() {
	local wanted=$1 text

	shift
	run doctor
	printf 'status %s, wanted %s\n%s\n%s\nwanted:\n' "$status" "$wanted" "$out" "$err"
	text=$(printf '%s\n' "$@" | two_spaces)
	out=$(two_spaces <<<"$out")
	echo "$text"
	[ "$status" = "$wanted" ] && [[ $'\n'$out$'\n' == *$'\n'"$text"$'\n'* ]]
}

RELOAD="reboot, or reload all, which removes their interfaces and rules"
COMMANDS=("    reboot"
	"    modprobe -r can_gw vcan can_dev can && modprobe -a can can_dev vcan can_gw")

healthy() {
	system healthy &&
		reports 0 "nothing to mend" &&
		reports 0 "  gateway  with the netlink family can-gw" \
			"  MODULE   CURRENT  LOADED FROM                              MODPROBE LOADS" \
			"  can_gw   yes      updates/net/can/can-gw.ko                updates/net/can/can-gw.ko" &&
		CANROUTE_ROOT=$(realpath --relative-to=. "$WORK")/healthy reports 0 "nothing to mend" &&
		CANROUTE_ROOT=$WORK/./healthy/ reports 0 \
			"  can_gw   yes      updates/net/can/can-gw.ko                updates/net/can/can-gw.ko"
}

prints_json() {
	system json && run doctor --json && [ "$status" = 0 ] || return
	printf '%s\n' "$out"
	python3 -c 'import json, sys
r = json.loads(sys.argv[1])
assert r["findings"] == [] and len(r["modules"]["loaded_modules"]) == 4, r
assert r["modules"]["loaded_modules"][0]["current"] is True, r
assert r["interfaces"]["interfaces"] == [], r
assert r["kernel"]["suite"] == "trixie", r' "$out"
}

stale() {
	system stale && sed -i d "$CANROUTE_ROOT/proc/modules" &&
		rm "$CANROUTE_ROOT/proc/sys/net/can/gw_max_rules" &&
		load can_gw 1 && load vcan 1 && load can_dev 1 vcan, && load can 1 can_gw, &&
		reports 1 "  gateway  without the netlink family can-gw" \
			"  MODULE   CURRENT  LOADED FROM                             MODPROBE LOADS" \
			"  can_gw   no       kernel/net/can/can-gw.ko                updates/net/can/can-gw.ko" &&
		reports 1 "! the loaded modules are not the installed ones: can_gw vcan can_dev can; $RELOAD" \
			"${COMMANDS[@]}" "" "DKMS"
}

replaced() {
	system replaced && load can_raw 9 &&
		reports 1 "! the loaded modules are not the installed ones: can_raw; $RELOAD" &&
		reports 1 "  can_raw  no       -                                        updates/net/can/can-raw.ko"
}

mixed() {
	system mixed && sed -i d "$CANROUTE_ROOT/proc/modules" &&
		load can_gw 2 && load vcan 1 && load can_dev 1 vcan, && load can 2 can_gw, &&
		reports 1 "! the loaded modules are a mixture: can_gw can from can-fastpath; vcan can_dev from the kernel package; $RELOAD" \
			"${COMMANDS[@]}" "" "DKMS"
}

# DKMS of Debian 13 moves the modules of the kernel package away.
mixed_with_moved() {
	system moved dkms && installed_by_dkms "$RELEASE" &&
		mkdir -p "$CANROUTE_ROOT$DKMS/original_module/$RELEASE/x86_64" &&
		find "$CANROUTE_ROOT/lib/modules/$RELEASE/kernel" -name '*.ko' -exec \
			mv -t "$CANROUTE_ROOT$DKMS/original_module/$RELEASE/x86_64" {} + &&
		indices && reports 0 "nothing to mend" && sed -i d "$CANROUTE_ROOT/proc/modules" &&
		load can_raw 2 && load can 1 can_raw, &&
		reports 1 "! the loaded modules are a mixture: can_raw from can-fastpath; can from the kernel package; $RELOAD" &&
		reports 1 "  can      no       $DKMS/original_module/$RELEASE/x86_64/can.ko  updates/dkms/can.ko"
}

mixed_files() {
	system files dkms && installed_by_dkms "$RELEASE" &&
		rm "$CANROUTE_ROOT/lib/modules/$RELEASE/updates/dkms/can-raw.ko" && indices &&
		reports 1 "! modprobe would load a mixture: can_raw from the kernel package, all others from can-fastpath" \
			"    dkms install --force can-fastpath/0.2 -k $RELEASE"
}

# The simulator is built for the modules of the kernel package.
simulator_only() {
	system simulator && rm -r "$CANROUTE_ROOT/lib/modules/$RELEASE/updates" &&
		sed -i d "$CANROUTE_ROOT/proc/modules" &&
		install_module updates/drivers/net/can/sim/cansim.ko 2 && indices &&
		load cansim 2 && load can 1 cansim, && reports 0 "nothing to mend"
}

compressed() {
	system compressed && xz "$CANROUTE_ROOT/lib/modules/$RELEASE/updates/net/can/can-gw.ko" &&
		indices && reports 0 "nothing to mend" &&
		reports 0 "  can_gw   yes      updates/net/can/can-gw.ko.xz             updates/net/can/can-gw.ko.xz"
}

without_ids() {
	system ids && rm -r "$CANROUTE_ROOT/sys/module/can_gw/notes" &&
		install_module updates/net/can/can.ko "" &&
		reports 0 "? whether these are the installed modules, because a build ID cannot be read: can_gw can"
}

# Truncated, or with sizes and offsets that exceed the file
damaged_files() {
	local damage module size

	system damaged
	module=$CANROUTE_ROOT/lib/modules/$RELEASE/updates/net/can/can.ko
	size=$(stat -c %s "$module")
	cp "$module" "$WORK/can.ko"
	for damage in 0 10 64 $((size / 2)) $((size - 1)); do
		truncate -s "$damage" "$module"
		reports 0 "nothing to mend" || return
	done
	for ((damage = 0; damage < size; damage += 8)); do
		cp "$WORK/can.ko" "$module"
		printf '\377\377\377\377\377\377\377\377' |
			dd of="$module" bs=1 seek="$damage" conv=notrunc status=none
		run doctor
		[ "$status" -le 1 ] && [ -z "$err" ] || return
	done
}

foreign() {
	system foreign && install_module updates/kvaser_usb.ko 7 && indices &&
		reports 0 "- kvaser_usb is neither from the kernel package nor from can-fastpath: updates/kvaser_usb.ko" \
			"    modinfo kvaser_usb"
}

# pcan and Kvaser's drivers need not use SocketCAN.
foreign_loaded() {
	system pcan && load pcan 7 && reports 1 "  pcan  no  -  -" &&
		reports 1 "    modprobe -r can_gw vcan can_dev can pcan && modprobe -a can can_dev vcan can_gw"
}

cloud() {
	RELEASE=6.12.117+deb13-cloud-amd64 system cloud &&
		rm -r "$CANROUTE_ROOT"/lib/modules/*/{kernel,updates} &&
		RELEASE=6.12.117+deb13-cloud-amd64 indices && : >"$CANROUTE_ROOT/proc/modules" &&
		link /usr/src/can-fastpath-0.2 "$DKMS/0.2/source" &&
		reports 1 "! the kernel 6.12.117+deb13-cloud-amd64 has no CAN modules" \
			"    apt install linux-image-amd64" && reports 1 "1 finding" &&
		reports 1 "  can-fastpath  does not support this kernel" &&
		file /lib/modules/6.12.117+deb13-cloud-amd64/modules.builtin kernel/net/can/can.ko &&
		reports 0 "nothing to mend"
}

reboots() {
	system reboots && file /run/reboot-required &&
		reports 0 "- a package requires a reboot: /run/reboot-required exists" "    reboot" &&
		file "/lib/modules/6.12.200+deb13-rt-amd64/modules.dep" &&
		reports 0 "  newest        $RELEASE" && file "/lib/modules/$NEWER/modules.dep" &&
		reports 0 "- kernel $NEWER is installed, but does not run" "    reboot" &&
		rm -r "$CANROUTE_ROOT/lib/modules/$RELEASE" &&
		reports 1 "! the modules of the running kernel are not installed: /lib/modules/$RELEASE" \
			"    reboot" && rm -r "$CANROUTE_ROOT/lib/modules/$NEWER" &&
		reports 1 "! the modules of the running kernel are not installed: /lib/modules/$RELEASE" \
			"    apt install linux-image-$RELEASE"
}

dkms() {
	system dkms dkms && installed_by_dkms "$NEWER" && file "/lib/modules/$NEWER/modules.dep" &&
		file "$DKMS/0.2/$RELEASE/x86_64/module/can.ko" &&
		reports 1 "  VERSION  RUNNING KERNEL  NEWEST KERNEL" "  0.2      built           installed" \
			"! can-fastpath is not installed for kernel $RELEASE" \
			"    dkms install can-fastpath/0.2 -k $RELEASE" &&
		rm "$CANROUTE_ROOT$DKMS/kernel-$NEWER-x86_64" && installed_by_dkms "$RELEASE" &&
		reports 1 "! can-fastpath is not installed for kernel $NEWER, which runs after the next reboot" \
			"    apt install linux-headers-$NEWER" \
			"    dkms install can-fastpath/0.2 -k $NEWER"
}

unsupported() {
	local RELEASE=6.18.5+deb13-amd64

	system unsupported && link /usr/src/can-fastpath-0.2 "$DKMS/0.2/source" &&
		reports 1 "! kernel $RELEASE is not a 6.12 kernel: can-fastpath does not support it, and its own CAN modules are used" \
			"    apt install linux-image-amd64 linux-headers-amd64" "    reboot" &&
		file /etc/os-release 'VERSION_CODENAME=bookworm' &&
		reports 1 "    apt install linux-image-6.12-amd64 linux-headers-6.12-amd64"
}

# secure_boot ANSWER: mokutil gives this answer about the key
secure_boot() {
	printf '#!/bin/sh\necho "%s %s"\n' /var/lib/dkms/mok.pub "$1" >"$WORK/bin/mokutil"
	chmod +x "$WORK/bin/mokutil"
}

signatures() {
	local key=/var/lib/dkms/mok.pub
	local PATH=$WORK/bin:$PATH

	mkdir -p "$WORK/bin"
	system signed dkms && installed_by_dkms "$RELEASE" && file "$key" &&
		mkdir -p "$CANROUTE_ROOT/sys/firmware/efi/efivars" &&
		printf '\6\0\0\0\1' >"$CANROUTE_ROOT/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c" &&
		file /sys/kernel/security/lockdown "none [integrity] confidentiality" &&
		file /sys/module/module/parameters/sig_enforce N && secure_boot "is not enrolled" &&
		reports 1 "  secure boot   enabled" "  lockdown      integrity" "  sig enforce   no" \
			"  VERSION  RUNNING KERNEL  NEWEST KERNEL" "  0.2      installed       installed" \
			"! the kernel loads only signed modules, and the key of DKMS is not enrolled; confirm it during the reboot" \
			"    mokutil --import $key" "    reboot" &&
		secure_boot "is already enrolled" && reports 0 "  key           enrolled" &&
		secure_boot "?" &&
		reports 0 "? whether the key of DKMS is enrolled: mokutil is missing or gave no answer" &&
		rm "$CANROUTE_ROOT$key" &&
		reports 0 "? the kernel loads only signed modules, and DKMS has no key $key" &&
		file /sys/kernel/security/lockdown "[none] integrity confidentiality" &&
		reports 0 "nothing to mend"
}

queues() {
	system queues && interface can0 10 && interface can1 1000 && interface can2 99 && interface vcan0 0 &&
		reports 1 "! transmit queues of less than 100 frames are short for a gateway, and programs may get ENOBUFS: can0 can2; the last command is for later boots" \
			"    ip link set dev can0 txqueuelen 256" \
			"    ip link set dev can2 txqueuelen 256" \
			"    echo 'ACTION==\"add\", SUBSYSTEM==\"net\", ATTR{type}==\"280\", ATTR{tx_queue_len}==\"10\", ATTR{tx_queue_len}=\"256\"' > /etc/udev/rules.d/90-can-queue.rules" \
			"" THREADS && file /etc/udev/rules.d/90-can-queue.rules &&
		reports 1 "! transmit queues of less than 100 frames are short for a gateway, and programs may get ENOBUFS: can0 can2" \
			"    ip link set dev can0 txqueuelen 256" \
			"    ip link set dev can2 txqueuelen 256" "" THREADS &&
		rm -r "$CANROUTE_ROOT/sys/module/can_gw" &&
		sed -i /can_gw/d "$CANROUTE_ROOT/proc/modules" &&
		reports 0 "- transmit queues of less than 100 frames are short for a gateway, and programs may get ENOBUFS: can0 can2"
}

threads() {
	system threads && interface can0 1000 && interface can1 1000 && interface can11 1000 &&
		link ../../../spi0.0 /sys/class/net/can1/device && file /sys/spi0.0/irq 77 &&
		thread 40 napi/can0-8193 0 0 && thread 41 irq/19-can0 1 50 &&
		thread 42 irq/77-other 1 51 && thread 43 irq/78-s-spi0.0 2 7 &&
		thread 44 "irq/80-eth0" 1 50 && thread 45 napi/can11-8200 1 3 && thread 46 "bash" 0 0 &&
		thread 47 can-rx/can11 1 51 &&
		reports 0 "  THREAD           PID  INTERFACE  CLASS        PRIORITY" \
			"  napi/can0-8193    40  can0       SCHED_OTHER         -" \
			"  irq/19-can0       41  can0       SCHED_FIFO         50" \
			"  irq/77-other      42  can1       SCHED_FIFO         51" \
			"  irq/78-s-spi0.0   43  can1       SCHED_RR            7" \
			"  napi/can11-8200   45  can11      SCHED_FIFO          3" \
			"  can-rx/can11      47  can11      SCHED_FIFO         51" "" RULES &&
		file /sys/kernel/realtime 1 && reports 1 "  preemption    PREEMPT_RT" &&
		reports 1 "! napi/can0-8193: on PREEMPT_RT, every real-time task delays a NAPI thread without a real-time priority" \
			"    chrt -f -p 49 40" "" RULES && rm "$CANROUTE_ROOT/sys/kernel/realtime" &&
		file /proc/sys/kernel/version "#1 SMP PREEMPT_RT Debian 6.12.117-1" &&
		reports 1 "    chrt -f -p 49 40" && rm -r "$CANROUTE_ROOT/proc/2" &&
		reports 1 "? threads of the kernel: hidden in /proc; run as root, outside of a container"
}

rules() {
	system rules && interface can0 1000 && interface can1 1000 && mkdir -p "$CANROUTE_ROOT/etc/can" &&
		cat >"$CANROUTE_ROOT/etc/can/gateway.rules" <<-'END'
			from can0 to can1 id 123
			from can0 to can2 id 123
			from can2 to vcan7
			from can0 to 'x;$(y)'
		END
	reports 1 "! interface can2 does not exist: 2 rules, the first in line 2; correct the file, load the driver, or rename the interface of this bus" \
		"    ip link set dev INTERFACE name can2" \
		"! interface vcan7 does not exist: 1 rule, the first in line 3" \
		"    ip link add dev vcan7 type vcan && ip link set dev vcan7 up" || return
	reports 1 "    ip link set dev INTERFACE name ''\\''x;\$(y)'\\'''" || return
	echo "from can0 to can1" >"$WORK/other" &&
		expect 0 "  rules    1" "$BIN/canroute" doctor "$WORK/other" &&
		echo "from can0" >>"$WORK/other" &&
		expect 1 "$WORK/other has 1 error" "$BIN/canroute" doctor "$WORK/other" &&
		expect 1 "    canroute check $WORK/other" "$BIN/canroute" doctor "$WORK/other" &&
		expect 1 "$WORK/other:2: destination interface" "$BIN/canroute" doctor "$WORK/other" &&
		expect 3 "$WORK/none" "$BIN/canroute" doctor "$WORK/none"
}

service() {
	system service && interface can0 1000 && interface can1 1000 &&
		file /etc/can/gateway.rules "from can0 to can1" && reports 0 "  service  not installed" &&
		file /lib/systemd/system/canroute.service && mkdir -p "$CANROUTE_ROOT/run/systemd/units" &&
		reports 1 "  service  disabled, inactive" \
			"! canroute.service is not enabled, so the rules are not loaded at boot" \
			"    systemctl enable --now canroute.service" &&
		link /lib/systemd/system/canroute.service \
			/etc/systemd/system/multi-user.target.wants/canroute.service &&
		reports 1 "  service  enabled, inactive" \
			"! canroute.service is enabled, but not active: the rules may not be loaded" \
			"    systemctl start canroute.service" &&
		rm "$CANROUTE_ROOT/etc/can/gateway.rules" &&
		reports 1 "! canroute.service is enabled, but not active: the rules may not be loaded" &&
		file /etc/can/gateway.rules "from can0 to can1" &&
		link 0123456789abcdef /run/systemd/units/invocation:canroute.service &&
		reports 0 "  service  enabled, active" && reports 0 "nothing to mend"
}

unreadable() {
	system unreadable && file /etc/can/gateway.rules "from can0 to can1" &&
		chmod 0 "$CANROUTE_ROOT/etc/can/gateway.rules" || return
	if [ -r "$CANROUTE_ROOT/etc/can/gateway.rules" ]; then
		chmod 755 "$WORK" && PLAIN=(setpriv --reuid 65534 --clear-groups --inh-caps -all)
	fi
	run "${PLAIN[@]}" "$BIN/canroute" doctor
	printf '%s\n' "$status" "$out" "$err"
	[ "$status" = 0 ] && [[ $out == *"? $CANROUTE_ROOT/etc/can/gateway.rules: Permission denied; run as root"* ]]
}

usage() {
	expect 2 "'doctor' takes a file, or nothing" "$BIN/canroute" doctor a b &&
		expect 2 "option -s is not valid" "$BIN/canroute" doctor -s can0 &&
		CANROUTE_ROOT=$WORK/none expect 3 osrelease "$BIN/canroute" doctor &&
		system usage && run sh -c '"$1" doctor >/dev/full' sh "$BIN/canroute" && [ "$status" = 3 ]
}

PLAIN=()
# CC may be several words.
read -ra COMPILER <<<"${CC:-cc}"
need_programs "${COMPILER[0]}" objcopy depmod python3 setpriv xz
planned=24
WORK=$(mktemp -d)
trap clean_up EXIT
check "a system without findings" healthy
check "JSON" prints_json
check "modules of the kernel package are loaded, others are installed" stale
check "a loaded module is from no file" replaced
check "a mixture of modules is loaded" mixed
check "a mixture with modules that DKMS has moved away" mixed_with_moved
check "a mixture of modules is installed" mixed_files
check "modules that the kernel package does not have are no mixture" simulator_only
check "compressed modules" compressed
check "modules without a build ID are reported as unknown" without_ids
check "damaged files of modules" damaged_files
check "modules from elsewhere are named" foreign
check "a driver without SocketCAN is named" foreign_loaded
check "a kernel without CAN" cloud
check "the need to reboot" reboots
check "kernels for which DKMS has installed nothing" dkms
check "a kernel that can-fastpath does not support" unsupported
check "signatures and the key of DKMS" signatures
check "short transmit queues" queues
check "threads and their priorities" threads
check "rules" rules
check "the service" service
check "a file that cannot be read is reported as unknown" unreadable
check "wrong usage and system errors" usage
finish
