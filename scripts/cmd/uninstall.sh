#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules package install; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: sudo ./lab uninstall

	Removes what "lab install" has installed: the modules for all kernels, which then use
	their own CAN modules again, and the source in /usr/src. It can be repeated.
	END
}

while (($#)); do
	case $1 in
	-h | --help)
		usage
		exit 0
		;;
	*) die "unknown argument \"$1\" (see ./lab uninstall --help)" ;;
	esac
done

need_root uninstall
trap give_back_build EXIT
mapfile -t versions < <(our_versions)
if ((${#versions[@]} == 0)) && package_installed; then
	die "the modules are those of the package can-fastpath-dkms: apt remove can-fastpath-dkms"
fi
if ((${#versions[@]} == 0)); then
	say "nothing to do: \"lab install\" has installed nothing here"
	exit
fi

# A copy names the modules that may be loaded, after /usr/src has lost its own.
rm -rf "$DKMS_SOURCE"
cp -r "/usr/src/can-fastpath-${versions[-1]}" "$DKMS_SOURCE" 2>/dev/null || :
mapfile -t kernels < <(kernels_with "${versions[@]}")
for version in "${versions[@]}"; do
	step "remove the version $version" remove_version "$version"
done
for release in "${kernels[@]}"; do
	say "kernel $release: its own CAN modules are used"
done
[[ ! -e $DKMS_SOURCE/system-state ]] || report_use
