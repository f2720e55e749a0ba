# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots disk images of Debian with the packages: installed, rebooted, rebooted with another kernel,
# purged. What is checked in each boot is in scripts/guest/image.
#
# build/image/SUITE-base is the system with two kernels and without the packages, and
# build/image/SUITE the copy with them.

IMAGES=$BUILD/image
IMAGE_CARD=(-object "can-bus,id=bus0" -object "can-bus,id=bus1")
for IMAGE_BUS in 0 1 0 1; do
	IMAGE_CARD+=(-device "kvaser_pci,canbus=bus$IMAGE_BUS")
done

image_test_base() {
	local suite=$1 stock rt
	stock=$(image_newest_kernel "$suite" amd64) || return
	rt=$(image_newest_kernel "$suite" rt-amd64) || return
	image_make "$suite" "$IMAGES/$suite-base" "linux-image-$stock" "linux-headers-$stock" \
		"linux-image-$rt" "linux-headers-$rt" dkms can-utils iproute2
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

image_install() {
	local suite=$1 dir=$IMAGES/$1
	as_root rm -rf "$dir"
	mkdir -p "$dir"
	as_root cp -a "$IMAGES/$suite-base/root" "$dir/root" || return
	CHROOT_BINDS="$PACKAGES:packages" chroot_run "$dir/root" bash -c \
		'apt-get update && apt-get install -y --no-install-recommends /packages/can-fastpath-dkms_*_all.deb /packages/canroute_*_amd64.deb && apt-get clean' || return
	as_root rmdir "$dir/root/packages" "$dir/root/lab"
}

# image_phase SUITE RELEASE: boot this kernel and count what was checked
image_phase() {
	local dir=$IMAGES/$1 log=$LOG/image-$1.log IMAGE_RELEASE=$2 IMAGE_QEMU=("${IMAGE_CARD[@]}")
	image_initrd "$dir" || return
	image_boot "$dir" "$LAB_ROOT/scripts/guest/image" | tee -a "$log"
}

test_image() {
	local suite=$1 stock rt log=$LOG/image-$1.log status=0 ok
	IMAGE_TIMEOUT=1800
	image_test_base "$suite"
	{ read -r stock && read -r rt; } <"$IMAGES/$suite-base/kernels"
	step "install the packages in Debian's $suite" image_install "$suite"
	IMAGE_RELEASE=$stock image_disk "$IMAGES/$suite" 5G
	: >"$log"
	image_phase "$suite" "$stock" && image_phase "$suite" "$stock" && image_phase "$suite" "$rt" &&
		image_phase "$suite" "$stock" || status=1
	ok=$(grep -c '^ok ' "$log") || :
	TESTS_PASSED=$((TESTS_PASSED + ok))
	say "$suite: $ok steps passed"
	return $status
}
