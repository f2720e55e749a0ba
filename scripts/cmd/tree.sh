#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab tree [--base 6.12|7.3] [--source DIR|TARBALL] [--check] [DIR]
	       ./lab tree --base 7.3 --compare

	Creates the patched kernel tree, a git repository: the first commit is the pristine
	source (tag "pristine"), and the branch "patched" has one commit per patch of the
	series, with new files included. The tree is build/tree; DIR becomes a clone of it.

	  --base 7.3            the series for Debian's backport of 7.3, in build/7.3/tree
	  --source DIR|TARBALL  pristine source to use instead of the newest
	                        linux-source-6.12 package, or that of the base
	  --check               check that the CAN code builds without warnings after every
	                        commit, so that the series can be bisected (6.12 only)
	  --compare             show how the series of the base differs from that of 6.12,
	                        patch by patch
	END
}

check=
compare=
target=
while (($#)); do
	case $1 in
	--source)
		[[ -e ${2:-} ]] || die "--source needs a directory or a tarball, not \"${2:-}\""
		LAB_SOURCE=$(readlink -f "$2")
		export LAB_SOURCE
		shift
		;;
	--check) check=yes ;;
	--compare) compare=yes ;;
	-h | --help)
		usage
		exit 0
		;;
	-*) die "unknown option \"$1\" (see ./lab tree --help)" ;;
	*)
		[[ ! $target ]] || die "only one directory can be given: \"$1\""
		target=$1
		;;
	esac
	shift
done

# All commits are built in one directory, so that only changed files, and those that
# include them, are compiled again. Commits of tests and documents are skipped. With TREE_PARTS
# and TREE_PART, a number from 0, only this part of so many of the series is checked.
check_commits() {
	local dir=$BUILD/bisect commit commits first=0 count part
	need_kernel stock
	mapfile -t commits < <(tree_commits)
	count=${#commits[@]}
	if [[ ${TREE_PARTS:-} ]]; then
		part=${TREE_PART:?}
		first=$((count * part / TREE_PARTS))
		count=$((count * (part + 1) / TREE_PARTS - first))
	fi
	for commit in "${commits[@]:first:count}"; do
		say "$(tree_git log -1 --format='%h %s' "$commit")"
		! tree_git diff --quiet "$commit^" "$commit" -- "${MODULE_SOURCES[@]}" || continue
		step "copy the sources of one commit" copy_commit "$commit" "$dir"
		step "build the sources of one commit" compile_modules "$KERNEL_HEADERS" "$dir/src"
	done
	say "$count commits, each of which builds"
}

# diff_of FILE: the files that a patch changes, and what it removes and adds
diff_of() {
	sed -n '/^--- a/,$p' "$1" | grep '^[-+]' || :
}

compare_series() {
	local patch other part
	part=$(series)
	while IFS= read -r patch; do
		other=$(other_diff "$patch")
		if ! grep -qxF -- "$patch" <<<"$part"; then
			echo "not in $LAB_BASE: $patch"
		elif [[ ! -f $other ]]; then
			echo "same: $patch"
		else
			echo "other diff: $patch"
			if diff --label 6.12 --label "$LAB_BASE" -U 1 <(diff_of "$PATCHES/$patch") <(diff_of "$other") |
				sed 's/^/    /'; then
				echo '    only other context'
			fi
		fi
	done < <(series_of 6.12)
}

if [[ $compare ]]; then
	check_other_bases || die "the series of the bases do not agree (above)"
	[[ $LAB_BASE != 6.12 && ! $check && ! $target ]] || die "--compare needs --base 7.3, and no other option"
	compare_series
	exit
fi
[[ ! $check || $LAB_BASE == 6.12 ]] || die "--check knows only the base 6.12"

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
