#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab tree [--source DIR|TARBALL] [--check] [DIR]

	Makes the patched kernel tree: a git repository with the pristine source as the
	first commit (tag "pristine") and one commit per patch of the series, new files
	included, on the branch "patched". Without DIR it is build/tree; with DIR it is
	a clone of that.

	  --source DIR|TARBALL  pristine source to use instead of the newest
	                        linux-source-6.12 package
	  --check               build the CAN parts after every commit, so that the series
	                        can be bisected; they must build without a warning
	END
}

check=
target=
while (($#)); do
	case $1 in
	--source)
		[[ -e ${2:-} ]] || die "--source wants a folder or a tarball: \"${2:-}\""
		LAB_SOURCE=$(readlink -f "$2")
		export LAB_SOURCE
		shift
		;;
	--check) check=yes ;;
	-h | --help)
		usage
		exit 0
		;;
	-*) die "unknown option \"$1\" (see ./lab tree --help)" ;;
	*)
		[[ ! $target ]] || die "one folder only: \"$1\""
		target=$1
		;;
	esac
	shift
done

# One build folder serves all commits: only what a commit changes is compiled
# again, and whatever includes it. Those of tests and documents have nothing to compile.
check_commits() {
	local dir=$BUILD/bisect commit
	need_kernel stock
	for commit in $(tree_commits); do
		say "$(tree_git log -1 --format='%h %s' "$commit")"
		! tree_git diff --quiet "$commit^" "$commit" -- "${MODULE_SOURCES[@]}" || continue
		step "copy the sources of one commit" copy_commit "$commit" "$dir"
		step "build the sources of one commit" compile_modules "$KERNEL_HEADERS" "$dir/src"
	done
	say "$(tree_commits | wc -l) commits, each of which builds"
}

if [[ $target && -e $target ]]; then
	[[ -d $target && ! $(ls -A "$target") ]] || die "\"$target\" exists already"
fi

lock_build
need_basics
need_tree
if [[ $check ]]; then
	check_commits
fi
if [[ $target ]]; then
	step "clone the tree to $target" git clone -q --branch patched "$TREE" "$target"
else
	printf '%s\n' "$TREE"
fi
