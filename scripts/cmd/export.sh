#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree export; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab export [--source DIR|TARBALL] DIR

	Writes the series to DIR as files for "git am" on a pristine 6.12 tree, new files
	included, and proves it: the files are applied with "git am" to an untouched
	checkout, and the result is compared with the patched tree.

	  cd linux-6.12.y && git am DIR/*.patch
	END
}

target=
while (($#)); do
	case $1 in
	--source)
		[[ -e ${2:-} ]] || die "--source wants a folder or a tarball: \"${2:-}\""
		LAB_SOURCE=$(readlink -f "$2")
		export LAB_SOURCE
		shift
		;;
	-h | --help)
		usage
		exit 0
		;;
	-*) die "unknown option \"$1\" (see ./lab export --help)" ;;
	*)
		[[ ! $target ]] || die "one folder only: \"$1\""
		target=$1
		;;
	esac
	shift
done
[[ $target ]] || die "where to? (see ./lab export --help)"
if [[ -e $target ]]; then
	[[ -d $target && ! $(ls -A "$target") ]] || die "\"$target\" exists and is not an empty folder"
fi

lock_build
need_basics
need_tree
mkdir -p "$target"
target=$(cd "$target" && pwd)
step "write the series" export_series "$target"
step "apply it to an untouched tree with git am, and compare" prove_export "$target"
printf '%s\n' "$target"/*.patch
