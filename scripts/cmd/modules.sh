#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab modules [--base 6.12|7.3] [--kernel stock|rt] [--kernel-headers DIR]
	                     [--source DIR|TARBALL]

	Builds every CAN module that a kernel enables from the patched sources, with
	W=1, and prints the paths of the modules.

	  --base 7.3            build for the kernel 7.3 of Debian's backports, with the headers
	                        and the compiler of Debian 13, which are unpacked below build/
	  --kernel FLAVOUR      Debian's kernel (stock, the default) or its PREEMPT_RT kernel
	                        (rt); fetched and unpacked below build/
	  --kernel-headers DIR  headers of another 6.12 kernel, for example
	                        /lib/modules/$(uname -r)/build (not with --base 7.3)
	  --source DIR|TARBALL  source to patch

	Install all of the modules or none, because they share structures. To install
	them for the kernel of --kernel-headers, as root:

	  for m in $(./lab modules --kernel-headers DIR); do
	      install -D -m 644 "$m" "/lib/modules/RELEASE/updates/can/$(basename "$m")"
	  done
	  depmod RELEASE

	Then reboot, or unload the old modules.
	END
}

flavour=stock headers=
while (($#)); do
	case $1 in
	--kernel)
		flavour=${2:-}
		[[ $flavour =~ ^(stock|rt)$ ]] || die "--kernel is stock or rt: \"$flavour\""
		shift
		;;
	--kernel-headers)
		[[ ${2:-} ]] || die "--kernel-headers needs a directory"
		[[ $LAB_BASE == 6.12 ]] || die "--kernel-headers is for the base 6.12 only"
		[[ -f $2/Makefile && -f $2/Module.symvers ]] ||
			die "there are no kernel headers in \"$2\" (no Makefile or no Module.symvers)"
		headers=$(cd "$2" && pwd)
		shift
		;;
	--source)
		[[ -e ${2:-} ]] || die "--source needs a directory or a tarball, not \"${2:-}\""
		LAB_SOURCE=$(readlink -f "$2")
		export LAB_SOURCE
		shift
		;;
	-h | --help)
		usage
		exit 0
		;;
	*) die "unknown argument \"$1\" (see ./lab modules --help)" ;;
	esac
	shift
done

lock_build
need_basics
if [[ $headers ]]; then
	name=$(make -s -C "$headers" kernelrelease 2>/dev/null) ||
		die "\"$headers\" does not say which kernel it belongs to (make kernelrelease fails)"
	[[ $name == 6.12.* ]] ||
		die "the series is made for 6.12 kernels, and \"$headers\" belongs to $name"
	need_compiler "$headers"
else
	need_kernel "$flavour"
	headers=$KERNEL_HEADERS
	name=$flavour
fi
build_modules "$headers" "$name"
module_files "$name" | sed "s|^|$BUILD/modules/$name/src/|"
