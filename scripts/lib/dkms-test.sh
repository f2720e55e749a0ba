# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the package can-fastpath-dkms and of "lab install" in a chroot of Debian 12 (dkms 3.0)
# and of Debian 13 (dkms 3.2), with the kernels of that release. Modules are not loaded there.
#
# build/dkms-test/SUITE/base is the installed system, and root the copy that a run changes.

# shellcheck disable=SC2153 # set in common.sh and package.sh
DKMS_TEST=$BUILD/dkms-test
DKMS_TEST_PACKAGES=(busybox-static cpio kmod mmdebstrap ovmf qemu-system-x86 xz-utils)
# packages for the tests, and a cache for the compiler
CHROOT_BINDS="$DKMS_TEST/packages:packages $DKMS_TEST/ccache:ccache"
DKMS_TEST_STEPS=0
DKMS_TEST_FAILED=0

declare -A DEBIAN=([bookworm]='Debian 12' [trixie]='Debian 13' [arm64]=arm64
	[arm64-bookworm]='arm64, Debian 12' [arm64-trixie]='arm64, Debian 13')

# newest_release ROOT SUFFIX: of the 6.12 kernels in the package lists of the chroot
newest_release() {
	chroot_run "$1" apt-cache pkgnames linux-headers-6.12. |
		sed -nE "s/^linux-headers-(6\.12\.[0-9]+\+deb[0-9.]+-$2)\$/\1/p" | sort -V | tail -n 1
}

# make_base SUITE ROOT: the newest stock, rt and cloud kernels with headers
make_base() {
	local suite=$1 root=$2 kernel cloud flavour packages=()
	as_root rm -rf "$root"
	as_root mmdebstrap --variant=apt --skip=cleanup/apt/lists "$suite" "$root" || return
	for flavour in amd64 rt-amd64; do
		kernel=$(newest_release "$root" $flavour)
		packages+=("linux-image-$kernel" "linux-headers-$kernel")
	done
	cloud=$(newest_release "$root" cloud-amd64)
	chroot_run "$root" apt-get install -y --no-install-recommends "${packages[@]}" \
		"linux-headers-$cloud" "${INSTALL_PACKAGES[@]}" "${SOURCE_PACKAGES[@]}" ccache || return
	chroot_run "$root" apt-get clean
}

need_base() {
	local suite=$1 key
	key="$suite $(declare -f make_base newest_release | sha256sum | cut -c1-40) ${INSTALL_PACKAGES[*]} ${SOURCE_PACKAGES[*]}"
	stamp_fresh "$DKMS_TEST/$suite/stamp" "$key" && return
	rm -f "$DKMS_TEST/$suite/stamp"
	mkdir -p "$DKMS_TEST/$suite"
	step "install ${DEBIAN[$suite]} with 6.12 kernels and dkms" make_base "$suite" "$DKMS_TEST/$suite/base"
	stamp_write "$DKMS_TEST/$suite/stamp" "$key"
}

# repack FROM VERSION: the package with a higher version; SCRIPT changes the directory DIR with it
repack() {
	local from=$1 version=$2 script=${3:-true} dir old file
	dir=$(mktemp -d "$DKMS_TEST/repack.XXXXXX")
	chmod 755 "$dir"
	dpkg-deb -R "$from" "$dir" || return
	old=$(dpkg-deb -f "$from" Version)
	mv "$dir/usr/src/can-fastpath-$old" "$dir/usr/src/can-fastpath-$version"
	grep -rlF -- "$old" "$dir" | while IFS= read -r file; do
		OLD=$old NEW=$version perl -pi -e 's/\Q$ENV{OLD}\E/$ENV{NEW}/g' "$file"
	done
	rm "$dir/DEBIAN/md5sums"
	(cd "$dir/usr/src/can-fastpath-$version" && eval "$script") || return
	dpkg-deb --root-owner-group -b "$dir" "$DKMS_TEST/packages/can-fastpath-dkms_${version}_all.deb" || return
	rm -rf "$dir"
}

# inside COMMAND…: in the chroot of this run. $OUTPUT has its output, which the log has too.
inside() {
	local status=0
	echo "+ $*"
	chroot_run "$ROOT" "$@" >"$OUTPUT" 2>&1 || status=$?
	cat "$OUTPUT"
	return $status
}

says() {
	grep -qF -- "$*" "$OUTPUT" || { echo "the output does not have: $*"; return 1; }
}

silent_on() {
	! grep -F -- "$*" "$OUTPUT" || { echo "the output has: $*"; return 1; }
}

# try NAME COMMAND…: print the result of a test step
try() {
	local name=$1 verdict=ok start=$SECONDS
	shift
	DKMS_TEST_STEPS=$((DKMS_TEST_STEPS + 1))
	echo "== $name" >>"$TEST_LOG"
	if ! "$@" >>"$TEST_LOG" 2>&1; then
		verdict='not ok'
		DKMS_TEST_FAILED=$((DKMS_TEST_FAILED + 1))
	fi
	printf '%s %d - %s: %s (%ds)\n' "$verdict" $DKMS_TEST_STEPS "${DEBIAN[$SUITE]}" "$name" $((SECONDS - start))
}

apt_install() {
	inside apt-get install -y --no-install-recommends --allow-downgrades "$@"
}

# module_paths RELEASE: the path of each CAN module that modprobe would load
module_paths() {
	local names
	mapfile -t names <"$DKMS_TEST/$SUITE/names"
	chroot_run "$ROOT" modinfo -k "$1" -F filename "${names[@]}" 2>&1
}

# all_ours RELEASE: each CAN module of the kernel, the queueing discipline and the simulator come
# from updates/
all_ours() {
	local paths ours
	paths=$(module_paths "$1")
	ours=$(chroot_run "$ROOT" bash -c "ls /lib/modules/$1/updates/dkms" | wc -l)
	grep -v "^/lib/modules/$1/updates/dkms/" <<<"$paths" && return 1
	echo "$1: $(wc -l <<<"$paths") CAN modules of the kernel are in updates/, which has $ours"
	((ours == $(wc -l <"$DKMS_TEST/$SUITE/names") + 6))
}

# all_stock RELEASE: each CAN module of the kernel is its own, unchanged
all_stock() {
	local paths
	paths=$(module_paths "$1")
	grep -v "^/lib/modules/$1/kernel/" <<<"$paths" && return 1
	echo "$1: $(wc -l <<<"$paths") CAN modules are those of the kernel"
	[[ ! -e $ROOT/lib/modules/$1/updates ]] || { ls -R "$ROOT/lib/modules/$1/updates"; return 1; }
	inside dpkg -V "linux-image-$1"
	[[ ! -s $OUTPUT ]]
}

both() {
	local function=$1 kernel
	for kernel in "$STOCK" "$RT"; do
		"$function" "$kernel" || return
	done
}

# registered VERSION…: dkms knows these versions of can-fastpath and no other
registered() {
	inside dkms status -m can-fastpath
	[[ $(sed -nE 's|^can-fastpath/([^,:]*).*|\1|p' "$OUTPUT" | sort -u | xargs) == "$*" ]]
}

# gone: nothing is left of us. Debian's dkms keeps the key that it has made.
gone() {
	inside find /usr/src /var/lib/dkms /usr/share /lib/modules -iname '*can-fastpath*'
	[[ ! -s $OUTPUT ]]
}

deb() {
	echo "/packages/can-fastpath-dkms_$1_all.deb"
}

# put FILE: standard input into a file of the chroot, with mode 755
put() {
	as_root install -D -m 755 /dev/stdin "$ROOT$1"
}

# dkms and its scripts ask uname for the kernel in use. In a chroot this is the host's. apt gives
# maintainer scripts a PATH of its own.
fake_uname() {
	put /etc/apt/apt.conf.d/path <<-'END'
	DPkg::Path "/usr/lib/ccache:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	END
	put /usr/local/bin/uname <<-END
	#!/bin/sh
	[ "\$*" = -r ] && echo "$1" && exit
	exec /usr/bin/uname "\$@"
	END
}

t_install() {
	apt_install "$(deb "$VERSION")"
}

# dpkg calls this if the script of an earlier version has failed; nothing is unpacked then.
t_failed_upgrade() {
	inside bash -c "dpkg-deb -e $(deb "$VERSION") /tmp/control && /tmp/control/prerm failed-upgrade 0.1" || return
	as_root rm -r "$ROOT/tmp/control"
}

t_installed() {
	both all_ours && registered "$1"
}

# newer_than_ours RELEASE
newer_than_ours() {
	[[ $1 =~ ^6\.12\.([0-9]+) ]] && ((BASH_REMATCH[1] > ${VERSION##*.}))
}

# A kernel that is newer than our sources is announced, others are not. $OUTPUT is that of the
# installation. Headers that are only a configuration do not build.
t_announced() {
	local said="is newer than our CAN sources, which are those of 6.12.${VERSION##*.}"
	if newer_than_ours "$STOCK"; then
		says "the kernel $STOCK $said" || return
	else
		silent_on "newer than our CAN sources" || return
	fi
	fake_kernel 6.12.999-newer ''
	! inside dkms build -m can-fastpath -v "$VERSION" -k 6.12.999-newer || return
	as_root rm -r "$ROOT/lib/modules/6.12.999-newer"
	says "the kernel 6.12.999-newer $said"
}

# A kernel that is neither the running nor the newest one. dkms 3.0 leaves it out by default.
THIRD=6.12.1-third

add_third() {
	as_root cp -a "$ROOT/usr/lib/modules/$STOCK" "$ROOT/usr/lib/modules/$THIRD"
}

# $OUTPUT is that of the installation.
t_third() {
	local kernel
	says "skipping the kernel $CLOUD: it has no CAN" || return
	for kernel in "$STOCK" "$RT" "$THIRD"; do
		(($(grep -c "^Building initial module .*for $kernel\$" "$OUTPUT") == 1)) && all_ours "$kernel" || return
	done
}

t_third_stock() {
	inside diff -r "/lib/modules/$STOCK/kernel" "/lib/modules/$THIRD/kernel" &&
		[[ ! -e $ROOT/lib/modules/$THIRD/updates ]] || return
	as_root rm -r "$ROOT/usr/lib/modules/$THIRD"
}

t_signed() {
	inside modinfo -k "$STOCK" can && says 'sig_id:         PKCS#7' && says 'DKMS module signing key'
}

t_cloud() {
	local status=0
	inside dkms build -m can-fastpath -v "$VERSION" -k "$CLOUD" || status=$?
	says "skipping the kernel $CLOUD: it has no CAN (CONFIG_CAN is not set)" && ((status == 77))
}

# fake_kernel RELEASE SED-SCRIPT: headers, whose configuration is that of the stock kernel, changed
fake_kernel() {
	local build=$ROOT/lib/modules/$1/build
	as_root mkdir -p "$build/include"
	sed "$2" "$ROOT/usr/src/linux-headers-$STOCK/.config" | put "/lib/modules/$1/build/.config"
}

t_builtin() {
	local status=0
	fake_kernel 6.12.1-builtin 's/^CONFIG_CAN=m/CONFIG_CAN=y/; s/^CONFIG_CAN_RAW=m/CONFIG_CAN_RAW=y/'
	inside dkms build -m can-fastpath -v "$VERSION" -k 6.12.1-builtin || status=$?
	says "skipping the kernel 6.12.1-builtin: modules cannot replace CAN code that is built in: can (CONFIG_CAN), can-raw (CONFIG_CAN_RAW)" &&
		((status == 77))
}

t_unknown() {
	local status=0
	fake_kernel 6.12.1-unknown 's/^CONFIG_CAN_VCAN=.*/&\nCONFIG_CAN_OF_SOMEONE=m/'
	inside dkms build -m can-fastpath -v "$VERSION" -k 6.12.1-unknown || status=$?
	says "skipping the kernel 6.12.1-unknown: its CAN modules cannot all be replaced, we have no source for CAN_OF_SOMEONE" &&
		((status == 77))
}

t_autoinstall() {
	inside dkms autoinstall -k 6.12.1-builtin && says "skipping the kernel 6.12.1-builtin" || return
	as_root rm -r "$ROOT"/lib/modules/6.12.1-*
	inside apt-get install -y --reinstall "linux-headers-$CLOUD" && says "skipping the kernel $CLOUD: it has no CAN"
}

t_no_headers() {
	inside apt-get remove -y "linux-headers-$STOCK" && inside apt-get remove -y can-fastpath-dkms
}

t_headers_later() {
	apt_install "linux-headers-$STOCK" && all_ours "$STOCK"
}

t_remove_kernel() {
	inside apt-get remove -y "linux-image-$RT" "linux-headers-$RT" &&
		[[ ! -e $ROOT/lib/modules/$RT/updates && ! -e $ROOT/lib/modules/$RT/kernel ]] && all_ours "$STOCK"
}

t_purge() {
	inside apt-get purge -y can-fastpath-dkms
}

t_purge_without_source() {
	as_root rm -r "$ROOT/usr/src/can-fastpath-$VERSION"
	t_purge && gone
}

t_broken() {
	! apt_install "$(deb "$BROKEN")" || return
	registered "$BROKEN"
}

# A module of another package that uses can-dev: depmod finds that by its symbols.
add_foreign() {
	local from
	from=$(cd "$ROOT" && find "usr/lib/modules/$STOCK/kernel/drivers/net/can" lib/modules/"$STOCK"/kernel/drivers/net/can \
		-name 'slcan.ko*' 2>/dev/null | head -n 1)
	as_root install -D -m 644 "$ROOT/$from" "$ROOT/lib/modules/$STOCK/updates/pcan.ko${from##*.ko}"
	inside depmod "$STOCK"
}

remove_foreign() {
	as_root rm -r "$ROOT/lib/modules/$STOCK/updates"
	inside depmod "$STOCK"
}

t_foreign() {
	apt_install "$(deb "$VERSION")" &&
		says "skipping the kernel $STOCK: these other modules could not be loaded with ours: updates/pcan.ko" || return
	! module_paths "$STOCK" | grep updates/dkms
}

# dkms is killed before it copies the eleventh module
t_interrupted() {
	put /usr/local/bin/cp <<-'END'
	#!/bin/bash
	if [[ ${!#} == /lib/modules/*/updates/dkms/* ]]; then
		echo >>/tmp/copies
		(($(wc -l </tmp/copies) <= 10)) || { kill -9 $PPID; exit 1; }
	fi
	exec /usr/bin/cp "$@"
	END
	! "$@" || return
	as_root rm "$ROOT/usr/local/bin/cp" "$ROOT/tmp/copies"
	(($(find "$ROOT/lib/modules/$STOCK/updates/dkms" -name '*.ko*' | wc -l) == 10))
}

t_completed() {
	inside dpkg --configure -a && all_ours "$STOCK" && registered "$VERSION"
}

lab() {
	inside /lab/lab "$@"
}

t_lab_refuses_package() {
	! lab install && says "the package can-fastpath-dkms is installed, which has the same modules: apt remove can-fastpath-dkms"
}

t_lab_foreign() {
	! lab install && says "kernel $STOCK: these other modules could not be loaded with ours: updates/pcan.ko" &&
		says "nothing has been changed" && gone
}

t_lab_space() {
	put /usr/local/bin/df <<-'END'
	#!/bin/sh
	case "$*" in
	*target*) printf 'Mounted on\n/\n' ;;
	*) printf 'Avail\n12M\n' ;;
	esac
	END
	! lab install && says "/ has 12 MB of free space" && says "nothing has been changed" || return
	as_root rm "$ROOT/usr/local/bin/df"
	gone
}

t_lab_install() {
	lab install && all_ours "$STOCK" && registered "$VERSION"
}

t_lab_again() {
	lab install && says "nothing to do: $VERSION is installed for $STOCK"
}

t_lab_rebuild() {
	echo '/* */' | as_root tee -a "$ROOT/usr/src/can-fastpath-$VERSION/net/can/af_can.c" >/dev/null
	lab install && says "remove the earlier $VERSION" && all_ours "$STOCK"
}

t_lab_replace() {
	inside bash -c "cp -r /usr/src/can-fastpath-$VERSION /usr/src/can-fastpath-0.1+6.12.1 &&
		sed -i 's/$VERSION/0.1+6.12.1/' /usr/src/can-fastpath-0.1+6.12.1/{dkms.conf,module-list,keep-config} &&
		dkms remove -m can-fastpath -v $VERSION --all && rm -r /usr/src/can-fastpath-$VERSION &&
		dkms install -m can-fastpath -v 0.1+6.12.1 -k $STOCK" && registered 0.1+6.12.1 && all_ours "$STOCK" || return
	lab install && says "remove the version 0.1+6.12.1" && all_ours "$STOCK" && registered "$VERSION"
}

t_lab_uninstall() {
	lab uninstall && all_stock "$STOCK" && gone
}

t_lab_uninstall_again() {
	lab uninstall && says 'nothing to do: "lab install" has installed nothing here'
}

# The package replaces what lab install has registered.
t_package_over_lab() {
	lab install && apt_install "$(deb "$HIGHER")" &&
		says "removing the version $VERSION, which \"lab install\" registered" && registered "$HIGHER" && all_ours "$STOCK"
}

# A compiler that fails in the middle of the build
t_lab_fails() {
	local name file=/lib/modules/$STOCK/build/.kernelvariables
	name=$(chroot_run "$ROOT" sed -n 's/^override CROSS_COMPILE = //p' "$file")
	name+=$(chroot_run "$ROOT" sed -n 's/^CC = .*)\(gcc-.*\)/\1/p' "$file")
	put "/usr/local/sbin/broken/$name" <<-END
	#!/bin/sh
	case "\$*" in
	*can/gw*.c*) echo "no gateway"; exit 1 ;;
	esac
	exec /usr/bin/$name "\$@"
	END
	! inside env PATH="/usr/local/sbin/broken:/usr/sbin:/usr/bin:/sbin:/bin" /lab/lab install &&
		says "the build failed, and the modules in use before are unchanged" || return
	as_root rm -r "$ROOT/usr/local/sbin/broken"
	all_stock "$STOCK" && gone
}

# The firmware's list of keys. Its certificates and those of shim's list, which mokutil --import
# extends, are equally trusted by the kernel; shim's list is used with Secure Boot only.
KEY_LIST=db-d719b2cb-3d3a-4596-a3bc-dad00e67656f

# key_list CERTIFICATE: the content of that variable in efivarfs: attributes, a time and an empty
# signature, which firmware without a platform key accepts, and a list with the certificate
key_list() {
	python3 -c '
import struct, sys
cert = open(sys.argv[1], "rb").read()
pkcs7 = bytes.fromhex("9dd2af4adf68ee498aa9347d375665a7")
x509 = bytes.fromhex("a159c0a5e494a74a87b5ab155c2bf072")
sys.stdout.buffer.write(
    struct.pack("<IHBBBBBBIhBB", 0x27, 2026, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    + struct.pack("<IHH16s", 24, 0x200, 0xef1, pkcs7)
    + struct.pack("<16sIII16s", x509, 44 + len(cert), 0, 16 + len(cert), bytes(16)) + cert)
' "$1"
}

# The guest tries to load a module of the kernel, and ours. If the key is not in the list, it is
# added, and the guest reboots.
secure_boot_init() {
	cat <<-END
	#!/bin/busybox sh
	busybox mount -t proc proc /proc
	busybox mount -t sysfs sys /sys
	busybox insmod /efivarfs.ko
	busybox mount -t efivarfs efivarfs /sys/firmware/efi/efivars
	enrolled=no
	[ ! -e /sys/firmware/efi/efivars/$KEY_LIST ] || enrolled=yes
	for module in kernel ours; do
		if error=\$(busybox insmod /\$module/can.ko 2>&1); then
			echo "enrolled \$enrolled: can.ko of \$module loads" >/dev/console
			busybox rmmod can
		else
			echo "enrolled \$enrolled: can.ko of \$module: \$error" >/dev/console
		fi
	done
	if [ \$enrolled = no ]; then
		busybox cat /key-list >/sys/firmware/efi/efivars/$KEY_LIST && busybox reboot -f
	fi
	busybox poweroff -f
	END
}

# plain_module FILE: its content, decompressed
plain_module() {
	case $1 in
	*.xz) xz -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

t_secure_boot() {
	local dir=$DKMS_TEST/$SUITE/secure-boot tree modules=$ROOT/usr/lib/modules/$STOCK accel=tcg
	tree=$dir/tree
	rm -rf "$dir"
	mkdir -p "$tree"/{bin,dev,proc,sys,kernel,ours}
	cp /bin/busybox "$tree/bin/"
	secure_boot_init >"$tree/init"
	chmod +x "$tree/init"
	# dkms 3.2 moves the modules of the kernel away
	plain_module "$(find "$modules/kernel/net/can" "$ROOT/var/lib/dkms/can-fastpath/original_module" \
		-name 'can.ko*' ! -name '*.origin' 2>/dev/null | head -n 1)" >"$tree/kernel/can.ko"
	plain_module "$(echo "$modules"/updates/dkms/can.ko*)" >"$tree/ours/can.ko"
	plain_module "$(echo "$modules"/kernel/fs/efivarfs/efivarfs.ko*)" >"$tree/efivarfs.ko"
	as_root cat "$ROOT/var/lib/dkms/mok.pub" >"$dir/mok.pub"
	key_list "$dir/mok.pub" >"$tree/key-list"
	modinfo "$tree/kernel/can.ko" | grep -E '^(signer|sig_id)'
	modinfo "$tree/ours/can.ko" | grep -E '^(signer|sig_id)'
	(cd "$tree" && find . | cpio -o -H newc --quiet) >"$dir/initrd"
	cp /usr/share/OVMF/OVMF_VARS_4M.fd "$dir/vars"
	kvm_works && accel=kvm
	as_root cat "$ROOT/boot/vmlinuz-$STOCK" >"$dir/vmlinuz"
	timeout -k 5 600 qemu-system-x86_64 -M q35 -accel $accel -m 1G -display none -nic none -nodefaults \
		-drive if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd \
		-drive if=pflash,format=raw,file="$dir/vars" -serial "file:$dir/console" \
		-kernel "$dir/vmlinuz" -initrd "$dir/initrd" \
		-append 'console=ttyS0 module.sig_enforce=1 panic=-1 loglevel=6 no5lvl' </dev/null || return
	grep -aE 'enrolled|cert|module' "$dir/console"
	cp "$dir/console" "$OUTPUT"
	says 'enrolled no: can.ko of kernel loads' &&
		says "enrolled no: can.ko of ours: insmod: can't insert '/ours/can.ko': Key was rejected by service" &&
		says 'Loading of module with unavailable key is rejected' &&
		says 'enrolled yes: can.ko of kernel loads' && says 'enrolled yes: can.ko of ours loads'
}

# What after-install says on a system with Secure Boot
t_secure_boot_said() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	inside bash -c 'd=/usr/src/can-fastpath-*; sed "s|/sys/firmware/efi/efivars|/tmp/efivars|" $d/system-state >/tmp/system-state &&
		cp $d/after-install $d/modules /tmp/ && mkdir -p /tmp/efivars && printf "\\6\\0\\0\\0\\1" >/tmp/efivars/SecureBoot-x &&
		/tmp/after-install '"$STOCK" || return
	as_root rm -r "$ROOT/tmp/efivars"
	says 'mokutil --import /var/lib/dkms/mok.pub' && says 'reboot'
}

# test_debian SUITE
test_debian() {
	SUITE=$1 ROOT=$DKMS_TEST/$1/root OUTPUT=$DKMS_TEST/$1/output TEST_LOG=$LOG/packages-$1.log
	as_root rm -rf "$ROOT"
	step "copy ${DEBIAN[$1]}" as_root cp -a --reflink=auto "$DKMS_TEST/$1/base" "$ROOT"
	STOCK=$(newest_release "$ROOT" amd64) RT=$(newest_release "$ROOT" rt-amd64) CLOUD=$(newest_release "$ROOT" cloud-amd64)
	(cd "$ROOT/usr/lib/modules/$STOCK/kernel" && find net/can drivers/net/can -name '*.ko*') |
		sed 's|.*/||; s|\.ko.*||' | sort >"$DKMS_TEST/$1/names"
	fake_uname "$STOCK"
	: >"$TEST_LOG"

	try "before, all CAN modules of $STOCK and $RT are their own" both all_stock
	try "its prerm does nothing before it is unpacked" t_failed_upgrade
	try "the package installs" t_install
	try "a newer kernel is announced, and no other" t_announced
	try "all CAN modules of both kernels are ours" t_installed "$VERSION"
	try "dkms has signed the modules" t_signed
	try "with module.sig_enforce=1 they load after the key has been enrolled, and not before" t_secure_boot
	try "the installation says how to enroll it if Secure Boot is enabled" t_secure_boot_said
	try "a kernel without CAN is skipped with a sentence" t_cloud
	try "CAN=y is refused with a sentence" t_builtin
	try "CAN modules without a source are refused with a sentence" t_unknown
	try "packages of such kernels install, with the same sentence" t_autoinstall
	try "a higher version replaces it" apt_install "$(deb "$HIGHER")"
	try "all CAN modules of both kernels are those of the higher version" t_installed "$HIGHER"
	try "a version that cannot be built fails to install" t_broken
	try "all CAN modules of both kernels are their own after that" both all_stock
	add_third >>"$TEST_LOG" 2>&1
	try "the older version installs over the broken one" t_install
	try "a third kernel gets modules, one without CAN is skipped, none is built twice" t_third
	try "all CAN modules of both kernels are ours again" t_installed "$VERSION"
	try "a kernel is removed with its modules, the other keeps ours" t_remove_kernel
	try "the package is removed after the headers" t_no_headers
	try "all CAN modules of $STOCK are its own after that" all_stock "$STOCK"
	try "all modules of the third kernel are its own, too" t_third_stock
	try "the package installs without headers" t_install
	try "headers that are installed later bring our modules" t_headers_later
	try "lab install refuses beside the package" t_lab_refuses_package
	try "the package is purged" t_purge
	try "all CAN modules of $STOCK are its own after that" all_stock "$STOCK"
	try "nothing is left" gone
	add_foreign >>"$TEST_LOG" 2>&1
	try "a kernel with a module of others that uses can-dev is skipped with a sentence" t_foreign
	try "the package is purged" t_purge
	try "lab install refuses beside a module of others that uses can-dev" t_lab_foreign
	remove_foreign >>"$TEST_LOG" 2>&1
	try "the installation is interrupted" t_interrupted t_install
	try "dpkg completes it" t_completed
	try "the package is purged after its source was deleted" t_purge_without_source
	try "all CAN modules of $STOCK are its own after that" all_stock "$STOCK"
	try "the installation is interrupted" t_interrupted t_install
	try "the package is purged" t_purge
	try "all CAN modules of $STOCK are its own after that" all_stock "$STOCK"

	try "lab install refuses without free space" t_lab_space
	try "lab install after a failed build" t_lab_fails
	try "lab install" t_lab_install
	try "lab install again has nothing to do" t_lab_again
	try "lab install rebuilds changed sources" t_lab_rebuild
	try "lab install replaces another version" t_lab_replace
	try "lab uninstall" t_lab_uninstall
	try "lab uninstall again has nothing to do" t_lab_uninstall_again
	try "lab install is interrupted" t_interrupted lab install
	try "lab install completes it" t_lab_install
	try "the package replaces it" t_package_over_lab
	try "the package is purged" t_purge
	try "all CAN modules of $STOCK are its own after that" all_stock "$STOCK"
	try "lab install is interrupted" t_interrupted lab install
	try "lab uninstall removes what it has left" t_lab_uninstall
}

# test_arm64 arm64|arm64-SUITE: cross-build the modules with build-modules, and the packages, in the
# Debian of the host or in another one. If that succeeds, boot the stock kernel with them.
test_arm64() {
	local kernel stock failed=$DKMS_TEST_FAILED
	SUITE=$1 OUTPUT=$DKMS_TEST/output-$1 TEST_LOG=$LOG/packages-$1.log
	: >"$TEST_LOG"
	local -x CROSS_SUITE=
	[[ $1 != arm64-* ]] || CROSS_SUITE=${1#arm64-}
	need_cross_root arm64
	ROOT=$CROSS_ROOT
	step "unpack arm64 headers" arm64_headers
	stock=$(newest_release "$ROOT" arm64)
	# the last modules that were built remain, for the boot
	for kernel in "$(newest_release "$ROOT" rt-arm64)" "$stock"; do
		try "the modules for $kernel build without a warning" t_arm64_modules "$kernel"
	done
	try "canroute and the tools build" t_arm64_packages
	if ((DKMS_TEST_FAILED == failed)); then
		test_arm64_boot "$stock"
	fi
}

# The headers and those that they need, without the installation of an arm64 kernel
arm64_headers() {
	local kernel flavour
	for flavour in arm64 rt-arm64; do
		kernel=$(newest_release "$ROOT" $flavour)
		# shellcheck disable=SC2016 # expanded by the inner shell
		chroot_run "$ROOT" bash -ec '
			# for the BTF of modules; the headers have that of the kernel
			apt-get install -y --no-install-recommends pahole
			mkdir -p /tmp/debs
			cd /tmp/debs
			rm -f ./*
			# a package for all architectures is in angle brackets: it is not one of arm64
			packages=$(apt-cache depends --no-recommends --no-suggests "linux-headers-$1:arm64" |
				sed -nE "s/^ *\\|?Depends: <?((linux-headers|linux-kbuild)-[^:>]*).*/\\1/p")
			apt-get download "linux-headers-$1:arm64" $packages
			for deb in *.deb; do
				# /lib is a link, which the directory of the package would replace
				dpkg-deb --fsys-tarfile "$deb" | tar -x -C / --exclude=./lib
			done' - "$kernel" || return
	done
}

t_arm64_modules() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	inside bash -ec '
		rm -rf /tmp/modules
		mkdir /tmp/modules
		cp -r /lab/build/dkms-source/. /tmp/modules
		ls /usr/lib/linux-kbuild* -d
		/tmp/modules/build-modules "$1" "/usr/src/linux-headers-$1"
		echo "modules: $(find /tmp/modules -name "*.ko" | wc -l)"
		file=$(find /tmp/modules -name can.ko)
		readelf -h "$file" | grep Machine' - "$1" || return
	! grep -iE 'warning' "$OUTPUT" && says AArch64
}

t_arm64_packages() {
	bash "$LAB_ROOT/scripts/cmd/package.sh" --arch arm64 &&
		[[ $(dpkg-deb -f "$PACKAGES"/arm64/canroute_*.deb Architecture) == arm64 &&
			$(dpkg-deb -f "$PACKAGES"/canroute_*.deb Architecture) == amd64 ]]
}

# need_test_packages: three versions of the package; one has an error in its source
need_test_packages() {
	local from
	bash "$LAB_ROOT/scripts/cmd/package.sh" >/dev/null
	# shellcheck disable=SC2153
	step "collect the sources of the modules" write_dkms_source "$DKMS_SOURCE"
	from=$(echo "$PACKAGES"/can-fastpath-dkms_*_all.deb)
	VERSION=$(dpkg-deb -f "$from" Version) HIGHER=0.3+6.12.999 BROKEN=0.4+6.12.999
	rm -rf "$DKMS_TEST/packages"
	mkdir -p "$DKMS_TEST/packages"
	cp "$from" "$DKMS_TEST/packages/"
	step "make a package of a higher version" repack "$from" $HIGHER
	step "make a package that cannot be built" repack "$from" $BROKEN 'echo "#error broken" >>net/can/gw.c'
}

# test_packages SUITE…
test_packages() {
	local suite
	need_packages "${DKMS_TEST_PACKAGES[@]}"
	mkdir -p "$DKMS_TEST"/{packages,ccache}
	for suite; do
		if [[ $suite == arm64* ]]; then
			need_packages "${ARM64_PACKAGES[@]}"
		else
			need_base "$suite"
		fi
	done
	need_test_packages
	for suite; do
		if [[ $suite == arm64* ]]; then
			test_arm64 "$suite"
		else
			test_debian "$suite"
		fi
	done
	TESTS_CASES=$DKMS_TEST_STEPS
	TESTS_PASSED=$((DKMS_TEST_STEPS - DKMS_TEST_FAILED))
	((DKMS_TEST_FAILED == 0)) || die "$DKMS_TEST_FAILED of $DKMS_TEST_STEPS steps failed: see build/log/packages-*.log"
}
