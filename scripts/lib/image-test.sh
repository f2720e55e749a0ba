# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots disk images of Debian with the packages: installed, rebooted, upgraded to another kernel,
# downgraded, purged. What is checked in each boot is in scripts/guest/image. A copy of the disk
# is for the service and the examples (scripts/guest/service).
#
# build/image/SUITE-base is the system with one kernel and without the packages, build/image/SUITE
# the copy with them and with another kernel, and build/image/SUITE-service the copy of its disk.

IMAGES=$BUILD/image
IMAGE_CARD=(-object "can-bus,id=bus0" -object "can-bus,id=bus1")
for IMAGE_BUS in 0 1 0 1; do
	IMAGE_CARD+=(-device "kvaser_pci,canbus=bus$IMAGE_BUS")
done
# The service sets up interfaces that appear, so their drivers are loaded by its test.
IMAGE_SERVICE_CARDS=(-object "can-bus,id=bus0" -device "kvaser_pci,canbus=bus0"
	-device "ctucan_pci,canbus0=bus0,canbus1=bus0")
IMAGE_SERVICE_APPEND=modprobe.blacklist=kvaser_pci,ctucanfd_pci

image_test_base() {
	local suite=$1 stock rt
	stock=$(image_newest_kernel "$suite" amd64) || return
	rt=$(image_newest_kernel "$suite" rt-amd64) || return
	image_make "$suite" "$IMAGES/$suite-base" "linux-image-$stock" "linux-headers-$stock" \
		dkms can-utils ifupdown iproute2
	printf '%s\n%s\n' "$stock" "$rt" >"$IMAGES/$suite-base/kernels"
}

# image_newest_kernel SUITE FLAVOUR: the release of the newest 6.12 kernel of a suite
image_newest_kernel() {
	(
		use_lists "$1" >&2
		apt-cache pkgnames linux-headers-6.12. |
			sed -nE "s/^linux-headers-(6\.12\.[0-9]+\+deb[0-9.]+-$2)\$/\1/p" | sort -V | tail -n 1
	)
}

# image_install SUITE KERNEL OTHER: the packages, and after them another kernel. Debian's kernel
# has no driver for the only card with CAN FD that QEMU emulates. Its headers get the option, so
# the driver is among the modules.
image_install() {
	local suite=$1 headers=/usr/src/linux-headers-$2 other=$3 dir=$IMAGES/$1 file
	as_root rm -rf "$dir"
	mkdir -p "$dir"
	as_root cp -a "$IMAGES/$suite-base/root" "$dir/root" || return
	for file in .config include/config/auto.conf; do
		printf 'CONFIG_CAN_CTUCANFD=m\nCONFIG_CAN_CTUCANFD_PCI=m\n' |
			as_root tee -a "$dir/root$headers/$file" >/dev/null || return
	done
	# shellcheck disable=SC2016 # expanded by the inner shell
	CHROOT_BINDS="$PACKAGES:packages" chroot_run "$dir/root" bash -c \
		'apt-get update && apt-get install -y --no-install-recommends /packages/can-fastpath-dkms_*_all.deb /packages/canroute_*_amd64.deb &&
		apt-get install -y --no-install-recommends "linux-image-$1" "linux-headers-$1" && apt-get clean' - "$other" || return
	as_root rmdir "$dir/root/packages" "$dir/root/lab"
}

# image_phase SUITE RELEASE: boot this kernel and count what was checked
image_phase() {
	local dir=$IMAGES/$1 log=$LOG/image-$1.log IMAGE_RELEASE=$2 IMAGE_QEMU=("${IMAGE_CARD[@]}")
	image_initrd "$dir" || return
	image_boot "$dir" "$LAB_ROOT/scripts/guest/image" "$PACKAGES"/canroute_*_amd64.deb | tee -a "$log"
}

# image_service SUITE RELEASE: the service, in two boots of a copy of the disk
image_service() {
	local dir=$IMAGES/$1-service log=$LOG/image-$1.log boot
	local IMAGE_RELEASE=$2 IMAGE_QEMU=("${IMAGE_SERVICE_CARDS[@]}") IMAGE_APPEND=$IMAGE_SERVICE_APPEND
	for boot in first second; do
		echo "# service, $boot boot" | tee -a "$log"
		image_boot "$dir" "$LAB_ROOT/scripts/guest/service" | tee -a "$log" || return
	done
}

# image_copy_disk SUITE: for image_service
image_copy_disk() {
	local from=$IMAGES/$1 to=$IMAGES/$1-service
	rm -rf "$to"
	mkdir -p "$to" && ln -s "$from/root" "$to/root" &&
		cp --sparse=always --reflink=auto "$from/disk" "$from/initrd" "$to/"
}

test_image() {
	local suite=$1 stock rt log=$LOG/image-$1.log status=0 ok
	IMAGE_TIMEOUT=1800
	image_test_base "$suite"
	{ read -r stock && read -r rt; } <"$IMAGES/$suite-base/kernels"
	step "install the packages in Debian's $suite, then the kernel $rt" image_install "$suite" "$stock" "$rt"
	IMAGE_RELEASE=$stock image_disk "$IMAGES/$suite" 5G
	step "copy the disk for the test of the service" image_copy_disk "$suite"
	: >"$log"
	image_phase "$suite" "$stock" && image_phase "$suite" "$stock" && image_phase "$suite" "$rt" &&
		image_phase "$suite" "$stock" && image_phase "$suite" "$stock" || status=1
	image_service "$suite" "$stock" || status=1
	ok=$(grep -c '^ok ' "$log") || :
	TESTS_PASSED=$((TESTS_PASSED + ok))
	say "$suite: $ok steps passed, $(grep -c '^not ok ' "$log" || :) failed"
	return $status
}
