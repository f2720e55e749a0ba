# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The source directory for DKMS, which "lab install" registers and the package can-fastpath-dkms
# carries, and the Debian packages. What they consist of is in packaging/.

PACKAGING=$LAB_ROOT/packaging
PACKAGES=$BUILD/packages

# What creating the patched tree requires
SOURCE_PACKAGES=(git make perl rsync xz-utils)

PACKAGE_BUILD_PACKAGES=(
	build-essential ccache debhelper dh-dkms dkms libjansson-dev libkmod-dev libnl-3-dev
	libnl-genl-3-dev libnl-route-3-dev liburing-dev lintian mandoc python3-jsonschema
	python3-matplotlib
)

# Files that the series changes or that its modules are built from, without those that are new
CAN_FILES=(net/can drivers/net/can include/linux/can include/uapi/linux/can include/uapi/linux/can.h)

# can_base: the release of the pristine source, and a hash of its CAN files
can_base() {
	local release
	release=$(make -s -C "$TREE" kernelversion) || return
	printf '%s %s\n' "$release" \
		"$(tree_git ls-tree -r pristine -- "${CAN_FILES[@]}" | sha256sum | cut -c1-40)"
}

# check_base: is the newest source that for which the series was made, as far as CAN goes?
check_base() {
	local release hash base known
	read -r release hash < <(can_base)
	read -r base known <"$PACKAGING/base"
	if [[ $hash != "$known" ]]; then
		say "the CAN files of $release differ from those of $base, for which the series was made"
		say "look at the changes, adapt the series, then update packaging/base: $release $hash"
		return 1
	fi
	[[ $release == "$base" ]] || say "the CAN files of $release are those of $base"
}

# package_version: of this project, with the kernel release whose sources are patched
package_version() {
	local release
	read -r release _ < <(can_base)
	printf '%s+%s\n' "$(<"$LAB_ROOT/tools/can/VERSION")" "$release"
}

# kbuild_modules DIR OPTION…: "FOLDER NAME OPTION…" of each module in DIR of the patched tree and
# below it, with the options that it needs. The last one is its own.
kbuild_modules() {
	local dir=$1 option items item
	shift
	sed -e ':a' -e '/\\$/{' -e N -e 's/\\\n//' -e ba -e '}' "$TREE/$dir/Makefile" |
		sed -nE -e 's/^obj-y[[:space:]]*[:+]?=/- /p' \
			-e 's/^obj-\$\(CONFIG_([A-Z0-9_]*)\)[[:space:]]*[:+]?=/\1 /p' |
		while read -r option items; do
			[[ $option != *_KUNIT_TEST ]] || continue
			[[ $option != - ]] || option=
			for item in $items; do
				case $item in
				*/) kbuild_modules "$dir/${item%/}" "$@" ${option:+"$option"} ;;
				*.o) echo "$dir ${item%.o} $(printf '%s\n' "$@" "$option" | awk '!seen[$0]++' | xargs)" ;;
				esac
			done
		done
}

# write_dkms_source DIR: the source directory of DKMS, from the patched tree
write_dkms_source() {
	local dir=$1 file version
	version=$(package_version) || return
	rm -rf "$dir"
	copy_module_sources "$dir"
	# what only the test harness uses
	rm -r "$dir"/drivers/net/can/sim/{ether,suspend}
	sed -i -E '/CONFIG_CAN_SIM_(ETHER|SUSPEND)/d' "$dir/drivers/net/can/Makefile"
	find "$dir" -name '*kunitconfig' -delete
	for file in "$PACKAGING"/dkms/*; do
		[[ $file != */modules_to_force_install ]] || continue
		cp -p "$file" "$dir/"
		sed -i "s/#MODULE_VERSION#/$version/" "$dir/${file##*/}"
	done
	can_base >"$dir/base"
	{
		kbuild_modules net/can
		TREE=$dir kbuild_modules drivers/net/can
	} | sort >"$dir/modules"
	[[ $(wc -l <"$dir/modules") -gt 30 ]]
}

# stage_packages DIR: the source of the Debian packages
stage_packages() {
	local dir=$1 version
	version=$(package_version) || return
	rm -rf "$dir"
	mkdir -p "$dir/tools" "$dir/include" "$dir/dkms-force"
	write_dkms_source "$dir/dkms" || return
	cp "$PACKAGING/dkms/modules_to_force_install" "$dir/dkms-force/can-fastpath"
	cp -r "$PACKAGING/debian" "$dir/debian"
	sed -i "1s/(.*)/($version)/" "$dir/debian/changelog"
	rsync -a --exclude '*.[oda]' --exclude /bin "$LAB_ROOT/tools/can" "$dir/tools/"
	rsync -a "$LAB_ROOT/include/uapi" "$dir/include/"
	cp "$LAB_ROOT/COPYING" "$dir/"
	[[ ! -f $LAB_ROOT/CHANGELOG.md ]] || cp "$LAB_ROOT/CHANGELOG.md" "$dir/"
}

# chroot_run ROOT COMMAND…: as root in a chroot, with /proc and this repository as /lab. The
# mounts vanish with the command. $CHROOT_BINDS are more directories, as SOURCE:TARGET.
chroot_run() {
	local root=$1
	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	as_root unshare --mount --pid --fork --kill-child bash -c '
		root=$1 binds=$2
		shift 2
		mount -t proc proc "$root/proc" || exit
		for bind in $binds; do
			mkdir -p "$root/${bind#*:}"
			mount --bind "${bind%%:*}" "$root/${bind#*:}" || exit
		done
		exec chroot "$root" env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
			PATH=/usr/lib/ccache:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			CCACHE_DIR=/ccache CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1 LAB_LOCKED=1 \
			GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory "GIT_CONFIG_VALUE_0=*" "$@"
	' - "$root" "$LAB_ROOT:lab ${CHROOT_BINDS:-}" "$@" </dev/null
}

# build_packages DIR: build the packages of a staged source, next to it
build_packages() {
	(
		cd "$1" || exit
		PATH=/usr/lib/ccache:/usr/bin:/usr/sbin:/bin:/sbin \
			DEB_BUILD_OPTIONS="noautodbgsym parallel=$JOBS ${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage -us -uc -b
	)
}

# make_cross_root ARCH SUITE ROOT: Debian with a compiler for another architecture
make_cross_root() {
	as_root rm -rf "$3"
	as_root mmdebstrap --variant=apt --architectures="$(dpkg --print-architecture),$1" \
		--skip=cleanup/apt/lists --include="build-essential,crossbuild-essential-$1,ccache,debhelper" \
		"$2" "$3"
}

# need_cross_root ARCH: of CROSS_SUITE, or of the Debian that the host has; sets CROSS_ROOT
need_cross_root() {
	local arch=$1 suite root key
	# shellcheck disable=SC1091
	suite=${CROSS_SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
	root=$BUILD/cross/$arch-$suite
	key="$arch $suite $(declare -f make_cross_root | sha256sum)"
	CROSS_ROOT=$root/root
	need_packages mmdebstrap
	stamp_fresh "$root/stamp" "$key" && return
	rm -f "$root/stamp"
	mkdir -p "$root"
	step "install Debian $suite with a compiler for $arch in a chroot" make_cross_root "$arch" "$suite" "$CROSS_ROOT"
	stamp_write "$root/stamp" "$key"
}

# cross_build_packages DIR ARCH: build the packages for another architecture, without their tests
cross_build_packages() {
	local dir=/lab/${1#"$LAB_ROOT"/} arch=$2
	chroot_run "$CROSS_ROOT" apt-get build-dep -y --no-install-recommends -a "$arch" --arch-only \
		-P cross,nocheck "$dir" || return
	# shellcheck disable=SC2016 # expanded by the inner shell
	chroot_run "$CROSS_ROOT" env DEB_BUILD_OPTIONS="nocheck parallel=$JOBS" bash -c \
		'cd "$1" && dpkg-buildpackage -us -uc -B -a "$2" -Pcross,nocheck' - "$dir" "$arch"
}

lint_packages() {
	lintian --fail-on error,warning --info --tag-display-limit 0 "$1"
}
