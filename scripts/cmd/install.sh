#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules package install; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: sudo ./lab install

	Builds all CAN modules from the patched sources and installs them with DKMS for each
	installed 6.12 kernel that has its headers. dkms then builds them for later 6.12
	kernels too. The package can-fastpath-dkms (./lab package) does the same.

	First checks, and changes nothing if one fails: the package is not installed, a kernel
	has its headers, there is free space, no other modules depend on CAN modules.

	The command can be repeated. It rebuilds the modules if the patches have changed,
	replaces another version, and completes an installation that was interrupted. If a
	build fails, the modules in use before remain. "sudo ./lab uninstall" removes the
	modules, and those of the kernel are used again.

	With Secure Boot, the kernel loads the modules only after

	  sudo mokutil --import /var/lib/dkms/mok.pub
	  sudo reboot
	END
}

while (($#)); do
	case $1 in
	-h | --help)
		usage
		exit 0
		;;
	*) die "unknown argument \"$1\" (see ./lab install --help)" ;;
	esac
done

need_root install
trap give_back_build EXIT
! package_installed ||
	die "the package can-fastpath-dkms is installed, which has the same modules: apt remove can-fastpath-dkms"
[[ $(installed_kernels) ]] || die "no 6.12 kernel is installed"

lock_build
need_packages "${SOURCE_PACKAGES[@]}"
need_tree
step "collect the sources of the modules" write_dkms_source "$DKMS_SOURCE"
choose_kernels
check_space /usr/src 10 /var/lib/dkms "$BUILD_SPACE" \
	/lib/modules $((KERNEL_SPACE * ${#INSTALL_KERNELS[@]})) || die "nothing has been changed"

need_packages "${INSTALL_PACKAGES[@]}"
version=$(package_version)
if is_installed "$version"; then
	say "nothing to do: $version is installed for ${INSTALL_KERNELS[*]}"
	report_use yes
	exit
fi
install_version "$version"
say "installed: $version"
report_use yes
