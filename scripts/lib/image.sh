# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Images: a Debian system with systemd as PID 1 in a directory, an ext4 disk made from it,
# and a virtual machine that boots the disk, runs a script and returns its exit status.
#
#	image_make trixie "$BUILD/image/trixie" ifupdown can-utils
#	image_kernel "$BUILD/image/trixie" "$BOOT/stock-patched"
#	image_disk "$BUILD/image/trixie"
#	image_boot "$BUILD/image/trixie" test.sh canroute_1.0_amd64.deb
#
# DIR/root is the system, DIR/disk the disk, DIR/console.log the console of the last boot.
# Needs common.sh, packages.sh and vm.sh (kvm_works, which boots BOOT_KERNEL where there is /dev/kvm).

IMAGE_PACKAGES=(mmdebstrap e2fsprogs busybox-static cpio kmod qemu-system-x86 xz-utils)
IMAGE_MEMORY=1G
IMAGE_TIMEOUT=600    # seconds
IMAGE_QEMU=()        # more options of QEMU, such as devices
IMAGE_APPEND=        # more options of the kernel
IMAGE_RELEASE=       # of the kernel to boot; the newest one by default

# The first file of the tar archive on the second disk is the script. The second serial
# port gets its output, the third one its exit status.
image_runner() {
	cat <<-'END'
	#!/bin/sh
	mkdir /run/image
	cd /run/image || exit
	tar -xf /dev/vdb
	stty -F /dev/ttyS1 raw
	stty -F /dev/ttyS2 raw
	"./$(tar -tf /dev/vdb | head -n 1)" >/dev/ttyS1 2>&1 </dev/null
	status=$?
	echo "$status" >/dev/ttyS2
	systemctl poweroff
	END
}

image_unit() {
	cat <<-'END'
	[Unit]
	After=multi-user.target

	[Service]
	Type=exec
	ExecStart=/usr/local/sbin/image-run

	[Install]
	WantedBy=multi-user.target
	END
}

image_sources() {
	debian_sources "$1"
}

image_bootstrap() {
	local suite=$1 root=$2 packages
	shift 2
	packages=$(IFS=,; echo "systemd-sysv,udev,kmod${*:+,}$*")
	as_root rm -rf "$root"
	image_sources "$suite" | as_root mmdebstrap --variant=apt --include="$packages" \
		--aptopt='Acquire::Check-Valid-Until "false"' "$suite" "$root" - || return
	image_runner | as_root install -D -m 755 /dev/stdin "$root/usr/local/sbin/image-run"
	image_unit | as_root install -D -m 644 /dev/stdin "$root/etc/systemd/system/image-run.service"
	as_root systemctl --root="$root" enable image-run.service
}

# image_make SUITE DIR PACKAGE…: install a system with the packages in DIR/root, unless
# DIR has it already. Files that were added to it later are kept.
image_make() {
	local suite=$1 dir=$2 key
	shift 2
	key="$suite $* $(image_sources "$suite"; image_runner; image_unit)"
	need_packages "${IMAGE_PACKAGES[@]}"
	stamp_fresh "$dir/stamp" "$key" && return
	rm -f "$dir/stamp"
	mkdir -p "$dir"
	step "install Debian's $suite below ${dir#"$LAB_ROOT/"}" image_bootstrap "$suite" "$dir/root" "$@"
	stamp_write "$dir/stamp" "$key"
}

# image_kernel DIR BOOT: copy the kernel and the modules of the directory BOOT (see
# make_boot), in place of those that the image has
image_kernel() {
	local root=$1/root boot=$2
	as_root rm -rf "$root"/boot/vmlinuz-* "$root"/usr/lib/modules
	as_root mkdir -p "$root/boot" "$root/usr/lib/modules"
	as_root cp "$boot"/boot/vmlinuz-* "$root/boot/"
	as_root cp -rL "$boot"/lib/modules/* "$root/usr/lib/modules/"
}

image_release() {
	local kernel
	if [[ ${IMAGE_RELEASE:-} ]]; then
		printf '%s' "$IMAGE_RELEASE"
		return
	fi
	kernel=$(printf '%s\n' "$1"/root/boot/vmlinuz-* | sort -V | tail -n 1)
	printf '%s' "${kernel##*/vmlinuz-}"
}

# The initial RAM disk only loads what mounting the disk needs.
image_init() {
	cat <<-'END'
	#!/bin/busybox sh
	for module in /modules/*; do
		busybox insmod "$module"
	done
	busybox mount -t devtmpfs dev /dev
	busybox mount -t ext4 /dev/vda /root
	exec busybox switch_root /root /sbin/init
	END
}

# image_initrd DIR: make DIR/initrd for the newest kernel in DIR/root
image_initrd() {
	local dir=$1 tree release file n=100
	tree=$(mktemp -d) release=$(image_release "$1")
	mkdir -p "$tree"/{bin,dev,modules,root}
	cp /bin/busybox "$tree/bin/"
	image_init >"$tree/init"
	chmod +x "$tree/init"
	# Before its dependencies are complete, a module cannot be loaded: keep the order.
	while IFS= read -r file; do
		n=$((n + 1))
		case $file in
		*.xz) xz -dc "$file" ;;
		*) cat "$file" ;;
		esac >"$tree/modules/$n-$(basename "$file" .xz)"
	done < <(modprobe -a -d "$dir/root" -S "$release" --show-depends virtio_blk ext4 |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }')
	(cd "$tree" && find . | cpio -o -H newc --quiet) >"$dir/initrd"
	rm -rf "$tree"
}

image_write_disk() {
	local dir=$1 size=$2
	rm -f "$dir/disk"
	image_initrd "$dir" || return
	as_root mke2fs -q -t ext4 -d "$dir/root" "$dir/disk" "$size"
}

# image_disk DIR [SIZE]: make the disk from DIR/root
image_disk() {
	step "make a disk from ${1#"$LAB_ROOT/"}/root" image_write_disk "$1" "${2:-2G}"
}

# image_boot DIR FILE…: boot the disk, which keeps changes, with its newest kernel, copy
# the files to a directory and run the first one there, as root. Its output goes to
# standard output. Returns its exit status, or 125 if it did not end.
image_boot() {
	local dir=$1 script=$2 files accel=(-accel tcg) args=() file status
	shift
	files=$(mktemp)
	for file; do
		args+=(-C "$(dirname "$(realpath "$file")")" "$(basename "$file")")
	done
	# whatever the umask of the checkout was
	tar -cf "$files" --mode=a+rx "${args[@]}"
	kvm_works && accel=(-accel kvm -cpu host)
	rm -f "$dir/status"
	say "booting ${dir#"$LAB_ROOT/"} to run $(basename "$script")"
	timeout --foreground "$IMAGE_TIMEOUT" qemu-system-x86_64 "${accel[@]}" -m "$IMAGE_MEMORY" \
		-display none -nodefaults -no-reboot -nic none -kernel "$dir/root/boot/vmlinuz-$(image_release "$dir")" \
		-initrd "$dir/initrd" -append "console=ttyS0 panic=-1 no5lvl $IMAGE_APPEND" \
		-drive "file=$dir/disk,format=raw,if=virtio,cache=unsafe" \
		-drive "file=$files,format=raw,if=virtio,readonly=on" \
		-serial "file:$dir/console.log" -chardev stdio,id=out,signal=off -serial chardev:out \
		-serial "file:$dir/status" "${IMAGE_QEMU[@]}" </dev/null || say "QEMU ended with status $?"
	rm -f "$files"
	status=$(tr -d '\r\n' <"$dir/status" 2>/dev/null) || :
	return "${status:-125}"
}
