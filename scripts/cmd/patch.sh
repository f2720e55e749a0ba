#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab patch COMMAND [ARGUMENT…]

	Changes the series in patches/, which has a directory for each topic. It runs quilt
	in build/quilt, a checkout of the pristine source with the patches applied to the
	files that they edit. Files that are new to the kernel are not there. Edit them in
	this repository, at their path in the kernel, and name them in the header of their
	patch ("New-files: PATH…").

	  list                      show the series, ">" before the top patch
	  new TOPIC/NAME FILE…      begin a patch after the top patch, which edits FILEs,
	                            with a header to fill in
	  edit PATCH [FILE…]        make PATCH the top patch, and add FILEs to it; opens an
	                            editor on them if there is a terminal
	  header PATCH              edit the message of a patch
	  refresh                   write the changes in build/quilt to the top patch, then
	                            apply all later patches again
	  top                       apply all patches
	  drop PATCH                remove a patch from the series and delete it
	  quilt ARGUMENT…           run another quilt command

	FILEs are paths in the kernel (net/can/raw.c). To change a patch:
	  ./lab patch edit can-raw-….patch net/can/raw.c
	  (edit build/quilt/net/can/raw.c)
	  ./lab patch refresh && ./lab test
	END
}

QUILT_DIR=$BUILD/quilt

# quilt cannot apply a patch without a diff, so its series omits these.
QUILT_SERIES=$BUILD/quilt.series

quilt_series() {
	local patch
	series | while IFS= read -r patch; do
		if grep -q '^--- a/' "$PATCHES/$patch" || [[ ! $(patch_header New-files "$PATCHES/$patch") ]]; then
			printf '%s\n' "$patch"
		fi
	done
}

# take_series OLD: add to patches/series the patches that quilt has added to its series, which
# was OLD, and remove those that it has removed
has_diff() {
	grep -qxF -- "$1" "$QUILT_SERIES"
}

take_series() {
	local patch before='' old=$1
	while IFS= read -r patch; do
		if ! grep -qxF -- "$patch" <<<"$(series)"; then
			if [[ $before ]]; then
				sed -i "\\|^$before\$|a $patch" "$PATCHES/series"
			else
				sed -i "1a $patch" "$PATCHES/series"
			fi
		fi
		before=$patch
	done <"$QUILT_SERIES"
	while IFS= read -r patch; do
		grep -qxF -- "$patch" "$QUILT_SERIES" || sed -i "\\|^$patch\$|d" "$PATCHES/series"
	done <<<"$old"
}

run_quilt() {
	(
		cd "$QUILT_DIR"
		QUILT_PATCHES=$PATCHES QUILT_SERIES=$QUILT_SERIES QUILT_PC=.pc QUILT_NO_DIFF_INDEX=1 \
			QUILT_NO_DIFF_TIMESTAMPS=1 QUILT_REFRESH_ARGS='-p ab' \
			QUILT_DIFF_ARGS='-p ab' QUILT_DIFF_OPTS='-p' QUILT_PATCH_OPTS='--fuzz=0' \
			quilt --quiltrc - "$@"
	)
}

# A sparse checkout of pristine: the files below these directories are enough.
new_quilt_dir() {
	rm -rf "$QUILT_DIR"
	tree_git worktree prune
	tree_git worktree add -q --no-checkout --detach "$QUILT_DIR" pristine
	git -C "$QUILT_DIR" sparse-checkout set net/can drivers/net/can include/linux/can \
		include/uapi/linux/can include/net Documentation/networking \
		tools/testing/selftests/net
	git -C "$QUILT_DIR" checkout -q
}

need_quilt_dir() {
	need_pristine
	if ! stamp_fresh "$QUILT_DIR/.source" "$(source_id)"; then
		step "check out the pristine source for quilt" new_quilt_dir
		stamp_write "$QUILT_DIR/.source" "$(source_id)"
	fi
}

# A file outside the sparse checkout is fetched when it is first named.
need_file() {
	[[ -e $QUILT_DIR/$1 ]] && return
	tree_git cat-file -e "pristine:$1" 2>/dev/null ||
		die "the pristine source has no $1 (a file that is new to the kernel belongs into this repository, not into a patch)"
	mkdir -p "$QUILT_DIR/$(dirname "$1")"
	tree_git show "pristine:$1" >"$QUILT_DIR/$1"
}

# Files that a patch edits may lie outside the sparse checkout.
need_patched_files() {
	local patch file
	while IFS= read -r patch; do
		while IFS= read -r file; do
			need_file "$file"
		done < <(sed -n 's|^+++ b/||p' "$PATCHES/$patch" | cut -f1)
	done < <(series)
}

# known_patch NAME: print its name in patches/series, which includes its topic
known_patch() {
	local name=${1%.patch}.patch
	series | grep -xF -- "$name" || series | grep -E "/${name//./\\.}\$" ||
		die "there is no patch \"$1\" in patches/series"
}

top() {
	run_quilt top 2>/dev/null || :
}

go_to() {
	local to=$1
	[[ $(top) == "$to" ]] && return
	if grep -qxF -- "$to" <<<"$(run_quilt applied 2>/dev/null)"; then
		run_quilt pop -q "$to"
	else
		run_quilt push -q "$to"
	fi
}

go_to_end() {
	run_quilt unapplied >/dev/null 2>&1 || return 0
	run_quilt push -q -a
}

add_files() {
	local file
	for file; do
		need_file "$file"
		grep -qxF -- "$file" <<<"$(run_quilt files)" || run_quilt add "$file"
	done
}

template() {
	cat <<-END
	From: $(git -C "$LAB_ROOT" config user.name) <$(git -C "$LAB_ROOT" config user.email)>
	Date: $(date -R)
	Subject: [PATCH] can: WHERE: what it does

	The problem as a user meets it. Why this is the fix. What was measured before
	and after.
	---
	END
}

command=${1:-}
(($#)) && shift
case $command in
-h | --help)
	usage
	exit 0
	;;
list | new | edit | header | refresh | top | drop | quilt) ;;
'')
	usage >&2
	exit 2
	;;
*) die "unknown command \"$command\" (see ./lab patch --help)" ;;
esac

lock_build
need_basics
need_quilt_dir
need_patched_files

# Hash of the diffs of the patches. Messages may be edited at any time. If something
# other than quilt has changed a diff, build/quilt does not match the patches.
diffs_hash() {
	series | while IFS= read -r patch; do
		echo "$patch"
		[[ ! -f $PATCHES/$patch ]] || sed -n '/^---/,$p' "$PATCHES/$patch"
	done | sha256sum | cut -c1-40
}

if [[ -f $BUILD/quilt.diffs ]] && ! stamp_fresh "$BUILD/quilt.diffs" "$(diffs_hash)" && [[ -d $QUILT_DIR/.pc ]]; then
	die "patches/ has changed since quilt last worked in build/quilt. Remove build/quilt (edits there that were not refreshed are lost) and call again"
fi

quilt_series >"$QUILT_SERIES"
before=$(<"$QUILT_SERIES")

# runs even if quilt stops at a conflict
finish() {
	take_series "$before"
	stamp_write "$BUILD/quilt.diffs" "$(diffs_hash)"
}
trap finish EXIT
case $command in
list)
	now=$(top)
	while IFS= read -r patch; do
		mark=' '
		[[ $patch == "$now" ]] && mark='>'
		printf '%s %-64s %s\n' "$mark" "$patch" "$(patch_header Subject "$PATCHES/$patch" | head -n 1)"
	done < <(series)
	;;
new)
	(($# >= 2)) || die "a name and at least one file (see ./lab patch --help)"
	name=${1%.patch}.patch
	[[ $name == */* ]] || die "the name wants its topic before it, for example $(topics | tail -n 1)/$name"
	known_topic "${name%/*}"
	[[ $(top) == "${name%/*}"/* || ! $(topic_patches "${name%/*}") ]] ||
		die "go to the patch of ${name%/*} first that it is to follow: \"./lab patch edit\""
	shift
	[[ ! -e $PATCHES/$name ]] || die "patches/$name exists already"
	for file; do
		need_file "$file"
	done
	run_quilt new "$name"
	add_files "$@"
	template | run_quilt header -r
	say "now edit $(printf "$QUILT_DIR/%s " "$@")and patches/$name, then ./lab patch refresh"
	;;
edit)
	(($#)) || die "which patch? (see ./lab patch list)"
	name=$(known_patch "$1")
	has_diff "$name" || die "$name has new files only, which are edited where they are"
	go_to "$name"
	shift
	add_files "$@"
	if [[ -t 0 && $# -gt 0 ]]; then
		(cd "$QUILT_DIR" && "${VISUAL:-${EDITOR:-vi}}" "$@")
	fi
	say "on top: $(top); its files in $QUILT_DIR: $(run_quilt files | xargs)"
	;;
header)
	(($#)) || die "which patch? (see ./lab patch list)"
	name=$(known_patch "$1")
	"${VISUAL:-${EDITOR:-vi}}" "$PATCHES/$name"
	;;
refresh)
	run_quilt refresh
	go_to_end
	;;
top)
	go_to_end
	say "on top: $(top)"
	;;
drop)
	(($#)) || die "which patch? (see ./lab patch list)"
	name=$(known_patch "$1")
	if ! has_diff "$name"; then
		sed -i "\\|^$name\$|d" "$PATCHES/series"
		rm "$PATCHES/$name"
		exit
	fi
	go_to_end
	if grep -qxF -- "$name" <<<"$(run_quilt applied 2>/dev/null)"; then
		go_to "$name"
		run_quilt pop -q
	fi
	run_quilt delete -r "$name"
	go_to_end
	;;
quilt)
	run_quilt "$@"
	;;
esac
