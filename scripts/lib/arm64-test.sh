# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots Debian's arm64 kernel in QEMU's emulation with the modules that test_arm64() has built for
# it, loads all of them and runs some of the kselftests. The system in the guest is an initial RAM
# disk with packages of Debian. It gets no disk, and writes its results to build/log/kselftest/.
#
# Needs dkms-test.sh and selftests.sh, and $ROOT, the chroot with the cross-compiler.

ARM64=$BUILD/arm64
ARM64_PACKAGES=(cpio kmod mmdebstrap qemu-system-arm)
ARM64_TIMEOUT=1500    # seconds

# In the guest, besides what canroute depends on
ARM64_SYSTEM=(
	base-files bash busybox-static can-utils coreutils dash grep iproute2 kmod libmnl0 mount sed
	util-linux
)

# Filters, the gateway and virtual interfaces, and on simulated buses the times of frames and the
# receive FIFOs of all controllers: an emulated CPU takes long for all programs.
ARM64_PROGRAMS=(
	raw_filter raw_frames filter_netns filter_traffic virtual_napi napi_id gw_netns gw_nl_rules
	gw_filter
)
ARM64_SIM_PROGRAMS=(sim_fifo sim_time)

arm64_system() {
	local suite=$1 root=$2
	shift 2
	as_root rm -rf "$root"
	debian_sources "$suite" | as_root mmdebstrap --variant=extract --architectures=arm64 \
		--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --include="$(IFS=,; echo "$*")" \
		"$suite" "$root" - || return
	as_root rm -rf "$root"/usr/share/{doc,info,locale,man} "$root"/var/{cache,lib}
}

# need_arm64_system: unpack packages of Debian's arm64, those that canroute depends on among them,
# to build/arm64/system. Their scripts cannot run here.
need_arm64_system() {
	local suite packages key
	# shellcheck disable=SC2153 # set in dkms-test.sh
	suite=$(as_root sed -n 's/^VERSION_CODENAME=//p' "$ROOT/etc/os-release")
	# shellcheck disable=SC2153 # set in package.sh
	mapfile -t packages < <(dpkg-deb -f "$PACKAGES"/arm64/canroute_*.deb Depends | tr , '\n' |
		sed 's/(.*//; s/ //g')
	packages+=("${ARM64_SYSTEM[@]}")
	key="$suite ${packages[*]} $(declare -f arm64_system)"
	stamp_fresh "$ARM64/stamp" "$key" && return
	rm -f "$ARM64/stamp"
	mkdir -p "$ARM64"
	step "unpack a Debian for arm64" arm64_system "$suite" "$ARM64/system" "${packages[@]}"
	stamp_write "$ARM64/stamp" "$key"
}

# arm64_image RELEASE: unpack its package to /tmp/image in the chroot
arm64_image() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	chroot_run "$ROOT" bash -ec '
		[[ ! -e /tmp/image/boot/vmlinuz-$1 ]] || exit 0
		rm -rf /tmp/image /tmp/image.new
		mkdir /tmp/image.new
		cd /tmp/image.new
		apt-get download "linux-image-$1:arm64" || apt-get download "linux-image-$1-unsigned:arm64"
		dpkg-deb -x ./*.deb .
		rm ./*.deb
		# since Debian 13 the modules are in /usr/lib
		[[ -e lib ]] || ln -s usr/lib lib
		mv /tmp/image.new /tmp/image' - "$1"
}

arm64_headers_for_selftests() {
	HEADERS=$ARM64/headers ARCH=arm64 export_headers
}

# t_arm64_selftests: cross-compile them. The sources are copied, because objects in tools/net/ynl
# would be taken for the host's.
t_arm64_selftests() {
	as_root rm -rf "$ROOT/tmp/selftests" "$ARM64/kselftest"
	as_root mkdir -p "$ROOT/tmp/selftests"
	# ynl looks for MAINTAINERS, until it has found it
	tree_git archive patched -- MAINTAINERS Documentation/netlink include/uapi scripts/subarch.include \
		tools/net tools/scripts tools/testing/selftests | as_root tar -x -C "$ROOT/tmp/selftests" || return
	inside apt-get install -y --no-install-recommends libmnl-dev:arm64 python3-jsonschema python3-yaml rsync || return
	# shellcheck disable=SC2016 # expanded by the inner shell
	inside env JOBS="$JOBS" bash -ec '
		# the makefiles of ynl call ar
		mkdir -p /tmp/selftests/bin
		ln -s /usr/bin/aarch64-linux-gnu-ar /tmp/selftests/bin/ar
		export PATH=/tmp/selftests/bin:$PATH
		make -C /tmp/selftests/tools/testing/selftests -j "$JOBS" TARGETS=net/can ARCH=arm64 \
			CC=aarch64-linux-gnu-gcc HOSTPKG_CONFIG=aarch64-linux-gnu-pkg-config \
			KHDR_INCLUDES="-isystem /lab/build/arm64/headers/usr/include" \
			KSFT_INSTALL_PATH=/lab/build/arm64/kselftest install
		readelf -h /lab/build/arm64/kselftest/net/can/gw_mod | grep Machine' || return
	! grep -E '(warning|error):' "$OUTPUT" && says AArch64
}

# arm64_modules RELEASE TREE: our modules, the CAN modules of the kernel that they replace, and what
# both need, in TREE/usr/lib/modules
arm64_modules() {
	local image=$ROOT/tmp/image/lib/modules/$1 all=$ARM64/modules/lib/modules/$1 to=$2/usr/lib/modules/$1 names file
	rm -rf "$ARM64/modules"
	mkdir -p "$all/updates/dkms" "$to"
	ln -s "$image/kernel" "$all/kernel"
	# debug information would fill most of the memory
	chroot_run "$ROOT" find /tmp/modules -name '*.ko' -exec aarch64-linux-gnu-strip --strip-debug {} + || return
	find "$ROOT/tmp/modules" -name '*.ko' -exec cp -t "$all/updates/dkms" {} +
	cp "$image"/modules.{builtin,builtin.modinfo,order} "$all/"
	cp "$image"/modules.{builtin,builtin.modinfo,order} "$to/"
	echo 'search updates built-in' >"$ARM64/depmod.conf"
	depmod -C "$ARM64/depmod.conf" -b "$ARM64/modules" "$1" || return
	# ours, those of the kernel that use ours, and what the tests need
	mapfile -t names < <({
		sed -nE 's|^(updates/[^:]*):.*|\1|p; s|^(kernel/[^:]*): .*updates/.*|\1|p' "$all/modules.dep"
		printf '%s\n' 9p 9pnet_virtio configfs tun
	} | sed 's|.*/||; s|\.ko.*||')
	(
		cd "$all" || exit
		modprobe -a -d "$ARM64/modules" -S "$1" --show-depends "${names[@]}" |
			awk -v dir="$all/" '$1 == "insmod" && index($2, dir) == 1 { print substr($2, length(dir) + 1) }'
		find kernel/net/can kernel/drivers/net/can -name '*.ko*'
	) | sort -u | while IFS= read -r file; do
		install -D -m 644 "$all/$file" "$to/$file"
	done
	depmod -C "$ARM64/depmod.conf" -b "$2/usr" "$1"
}

# arm64_initrd RELEASE: two archives in one file: the packages of Debian, and what is ours
arm64_initrd() {
	local tree=$ARM64/tree
	rm -rf "$tree"
	mkdir -p "$tree/guest"
	arm64_modules "$1" "$tree" || return
	# /lib is a link, which the directory of a package would replace
	dpkg-deb --fsys-tarfile "$PACKAGES"/arm64/canroute_*.deb | tar -x -C "$tree" ./usr || return
	cp -r "$ARM64/kselftest" "$tree/kselftest"
	cp "$LAB_ROOT"/scripts/guest/{load,kselftest} "$tree/guest/"
	cp "$LAB_ROOT/scripts/guest/arm64" "$tree/init"
	{
		(cd "$ARM64/system" && as_root find . | as_root cpio -o -H newc --quiet)
		(cd "$tree" && find . | cpio -o -H newc --quiet -R 0:0)
	} >"$ARM64/initrd"
}

# t_arm64_boot NAME RELEASE OPTIONS-OF-QEMU PROGRAM…: run the programs; the guest comes to its end
t_arm64_boot() {
	local name=$1 release=$2 out=$TEST_LOGS/$1 options
	read -ra options <<<"$3"
	shift 3
	rm -rf "$out.queue" "$out".* "$out"-[0-9].*
	mkdir -p "$out.queue"
	printf 'net/can:%s\n' "$@" >"$out.programs"
	timeout --foreground -k 5 "$ARM64_TIMEOUT" qemu-system-aarch64 -M virt -cpu cortex-a57 -accel tcg -m 1G \
		-display none -nodefaults -no-reboot -nic none "${options[@]}" \
		-kernel "$ROOT/tmp/image/boot/vmlinuz-$release" -initrd "$ARM64/initrd" \
		-append "console=ttyAMA0 panic=-1 loglevel=6 noautogroup name=$name" \
		-virtfs "local,path=$TEST_LOGS,mount_tag=results,security_model=none" \
		-serial "file:$out-1.console" </dev/null || return
	tail -n 20 "$out-1.console"
	[[ -f $out-1.end ]]
}

# t_arm64_passed RESULT…: of checks that the guest makes besides the kselftests
t_arm64_passed() {
	local result
	for result; do
		cat "$TEST_LOGS/$result"
		[[ $(tail -n 1 "$TEST_LOGS/$result") == passed ]] || return
	done
}

# t_arm64_programs NAME NUMBER: all of them passed
t_arm64_programs() {
	skipped_cases <"$TEST_LOGS/$1-1.ktap"
	judge_programs "$1" "$2"
}

# t_arm64_log NAME…: the kernel has reported nothing in these runs
t_arm64_log() {
	local name
	for name; do
		judge_machine "$name-1" 0 || return
		! grep -naE "$KERNEL_REPORTS" "$TEST_LOGS/$name-1.console" || return
	done
}

# test_arm64_boot RELEASE: after the modules for this kernel, and canroute, were built
test_arm64_boot() {
	local sim="-icount shift=$SIM_ICOUNT,sleep=off" failed=$DKMS_TEST_FAILED pid
	mkdir -p "$TEST_LOGS"
	need_arm64_system
	step "unpack the arm64 kernel $1" arm64_image "$1"
	step "export the uapi headers of arm64" arm64_headers_for_selftests
	try "the kselftests build without a warning" t_arm64_selftests
	((DKMS_TEST_FAILED == failed)) || return 0
	step "make an initial RAM disk for arm64" arm64_initrd "$1"
	# two virtual machines with one CPU each, at the same time
	t_arm64_boot sim-arm64 "$1" "$sim" "${ARM64_SIM_PROGRAMS[@]}" >>"$TEST_LOG" 2>&1 &
	pid=$!
	try "the kernel $1 boots with our modules in QEMU" t_arm64_boot arm64 "$1" '' "${ARM64_PROGRAMS[@]}"
	try "every module of the set loads" t_arm64_passed arm64.load
	try "canroute loads a rule, and a frame takes it" t_arm64_passed arm64.canroute
	try "${#ARM64_PROGRAMS[@]} kselftests of sockets and the gateway pass" \
		t_arm64_programs arm64 ${#ARM64_PROGRAMS[@]}
	try "it boots with a clock that counts instructions" wait $pid
	try "${#ARM64_SIM_PROGRAMS[@]} kselftests on simulated buses pass" \
		t_arm64_programs sim-arm64 ${#ARM64_SIM_PROGRAMS[@]}
	try "none of the CAN modules of the kernel was loaded" t_arm64_passed arm64.own sim-arm64.own
	try "the kernel has reported nothing" t_arm64_log arm64 sim-arm64
	# how many cases passed, and how many were skipped
	grep -ah 'programs passed, with' "$TEST_LOG" >&2 || :
}
