#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules package; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab package [--arch ARCH]

	Builds Debian packages in build/packages/, and prints their paths:

	  can-fastpath-dkms   the patched CAN sources of the newest 6.12 kernel, from which
	                      DKMS builds all CAN modules for each 6.12 kernel that has its
	                      headers installed
	  canroute            rules of the CAN gateway, and a service that loads them
	  can-fastpath-tools  canping, canlat, canugw, canreport and cansim-setup

	  sudo apt install ./build/packages/can-fastpath-dkms_*.deb ./build/packages/canroute_*.deb

	The version is that of the project and that of the kernel whose sources are patched.
	lintian checks the packages: an error or a warning fails the command.

	  --arch ARCH  build canroute and can-fastpath-tools for another architecture of
	               Debian, such as arm64, in a chroot, which requires root, and puts them
	               in build/packages/ARCH/
	END
}

arch=
while (($#)); do
	case $1 in
	--arch)
		[[ ${2:-} =~ ^[a-z0-9-]+$ ]] || die "--arch requires an architecture of Debian: \"${2:-}\""
		arch=$2
		shift
		;;
	-h | --help)
		usage
		exit 0
		;;
	*) die "unknown argument \"$1\" (see ./lab package --help)" ;;
	esac
	shift
done

lock_build
need_packages "${SOURCE_PACKAGES[@]}" "${PACKAGE_BUILD_PACKAGES[@]}"
need_tree
version=$(package_version)
native=$(dpkg --print-architecture)
# "canroute_*.deb" in build/packages/ has to be one package.
[[ ${arch:=$native} == "$native" ]] || PACKAGES=$PACKAGES/$arch
source=$PACKAGES/can-fastpath-$version
mkdir -p "$PACKAGES"
step "collect the sources of the packages" stage_packages "$source"
rm -f "$PACKAGES"/*.{deb,changes,buildinfo}
if [[ $arch != "$native" ]]; then
	need_cross_root "$arch"
	step "build the packages for $arch" cross_build_packages "$source" "$arch"
else
	step "build the packages" build_packages "$source"
fi
step "lintian" lint_packages "$PACKAGES"/*_"$arch".changes
find "$PACKAGES" -maxdepth 1 \( -name "*_$arch.deb" -o -name "*_all.deb" \) | sort
