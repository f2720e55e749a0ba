# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The patched kernel tree: a git repository with a commit of the pristine source and one
# commit per patch of patches/series.
#
# A patch file is a mail as "git am" reads it. Its header can have lines
#
#	New-files: PATH…
#
# with files or directories of this repository that belong to the commit. They are copied
# to the same path in the tree and committed with the patch. Patch files have no diffs of
# files that are new to the kernel. The files of LISTS name other files, one on each line;
# each commit has the lines whose files exist in it.
#
# For another base than 6.12, patches/series-BASE has a part of the series, and NAME.BASE.diff beside
# NAME.patch is the diff of this patch, where it is another one. Message and new files are the same.

TREE=$BUILD/tree
PATCHES=$LAB_ROOT/patches

# Directories of this repository that mirror the kernel. Files in them are new to the
# kernel, and each has to belong to exactly one patch.
MIRRORED=(net drivers include Documentation/netlink Documentation/networking tools/testing)

LISTS=(tools/testing/selftests/net/can/{Makefile,.gitignore})

# Programs in the lists that the kernel has itself, but not 6.12
KERNEL_PROGRAMS=(test_raw_filter.c test_raw_filter.sh)

# new_files PATH…: files that git tracks, or that are new and not ignored
new_files() {
	git -C "$LAB_ROOT" ls-files --cached --others --exclude-standard -- "$@" |
		while IFS= read -r file; do
			if [[ -f $LAB_ROOT/$file ]]; then
				printf '%s\n' "$file"
			fi
		done
}

# in_tree: of the files that standard input lists, those that the series of this base has so far
in_tree() {
	local file
	while IFS= read -r file; do
		[[ ! -f $TREE/$file ]] || printf '%s\n' "$file"
	done
}

series() {
	series_of "$LAB_BASE"
}

# of_base FILE BASE: the file that stands for FILE with this base
of_base() {
	local end=
	[[ $2 == 6.12 ]] || end=-$2
	printf '%s\n' "$1$end"
}

# series_of BASE: names of its patches
series_of() {
	sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$(of_base "$PATCHES/series" "$1")"
}

# other_diff PATCH: where the diff of a patch for this base is, if it has one of its own
other_diff() {
	printf '%s\n' "$PATCHES/${1%.patch}.$LAB_BASE.diff"
}

# check_other_bases: is each series of another base a part of that of 6.12, in the same order, and is
# each diff for a base that of a patch in its series?
check_other_bases() {
	local file base part wrong status=0
	for file in "$PATCHES"/series-*; do
		base=${file##*/series-}
		part=$(series_of "$base")
		wrong=$(diff <(series_of 6.12) - <<<"$part" | sed -n 's/^> //p') || :
		if [[ $wrong ]]; then
			say "series-$base: not in patches/series, or in another order: $(xargs <<<"$wrong")"
			status=1
		fi
		while IFS= read -r file; do
			file=${file%."$base".diff}.patch
			if ! grep -qxF -- "$file" <<<"$part"; then
				say "there is a diff for $base, but series-$base has no $file"
				status=1
			fi
		done < <(cd "$PATCHES" && find . -name "*.$base.diff" -printf '%P\n')
	done
	return $status
}

# patch_header FIELD FILE: values of a field of the mail header, one per line
patch_header() {
	sed -n -e '/^$/q' -e "s/^$1: *//p" "$2"
}

# Every new file belongs to one patch, and every file that a patch names exists.
check_new_files() {
	local claimed file patch path status=0
	claimed=$(mktemp "$BUILD/claimed.XXXXXX")
	while IFS= read -r patch; do
		for path in $(patch_header New-files "$PATCHES/$patch"); do
			if [[ -z $(new_files "$path") ]]; then
				say "$patch names \"$path\", which does not exist"
				status=1
			fi
			new_files "$path"
		done >>"$claimed" || status=1
	done < <(series_of 6.12)

	while IFS= read -r file; do
		say "two patches claim $file"
		status=1
	done < <(sort "$claimed" | uniq -d)
	while IFS= read -r file; do
		say "no patch names $file (New-files: in its header)"
		status=1
	done < <(new_files "${MIRRORED[@]}" | sort | comm -23 - <(sort -u "$claimed"))
	rm -f "$claimed"
	return $status
}

# source_id: one line that changes when the pristine source changes
source_id() {
	if [[ ${LAB_SOURCE:-} ]]; then
		if [[ -d $LAB_SOURCE ]]; then
			if is_git_tree "$LAB_SOURCE"; then
				printf 'dir %s %s' "$LAB_SOURCE" "$(git -C "$LAB_SOURCE" rev-parse HEAD)"
			else
				printf 'dir %s %s' "$LAB_SOURCE" "$(stat -c %Y "$LAB_SOURCE/Makefile")"
			fi
		else
			printf 'tarball %s' "$(stat -c '%n %s %Y' "$LAB_SOURCE")"
		fi
	else
		# another release that the series was adapted to: fetch the newest source again
		printf 'package linux-source-%s, adapted to %s' "$LAB_BASE" "$(base_release)"
	fi
}

# base_release: the release that the series was adapted to
base_release() {
	cut -d ' ' -f 1 "$(of_base "$LAB_ROOT/packaging/base" "$LAB_BASE")"
}

# is_git_tree DIR: is DIR the top of a git tree, or of a git worktree?
is_git_tree() {
	[[ $(git -C "$1" rev-parse --show-toplevel 2>/dev/null) == "$(readlink -f "$1")" ]]
}

unpack_source() {
	local from=$1 to=$2
	mkdir -p "$to"
	if [[ -d $from ]] && is_git_tree "$from"; then
		git -C "$from" archive HEAD | tar -x -C "$to"
	elif [[ -d $from ]]; then
		tar -C "$from" --exclude=./.git -c . | tar -x -C "$to"
	else
		tar -C "$to" --strip-components=1 -xf "$from"
	fi
	[[ -f $to/net/can/af_can.c ]]
}

# The newest source of 6.12 comes to Debian 13 first, and for Debian 12 some days later. The
# series would otherwise have to apply to both. Newer kernels are backports of Debian 13.
fetch_source() {
	local dir=$1 suite=trixie newest
	[[ $LAB_BASE == 6.12 ]] || suite=$(other_suite)
	use_lists "$suite" || return
	rm -f "$BUILD/newer"
	if [[ $LAB_BASE != 6.12 ]]; then
		newest=$(apt-cache pkgnames linux-source- | grep -xE 'linux-source-[0-9]+\.[0-9]+' | sort -V | tail -n 1) || :
		[[ $newest == "linux-source-$LAB_BASE" ]] || echo "${newest#linux-source-}" >"$BUILD/newer"
	fi
	fetch_unpack "$dir" "linux-source-$LAB_BASE"
}

tree_git() {
	git -C "$TREE" -c user.name=lab -c user.email=lab@localhost -c commit.gpgsign=false \
		-c core.autocrlf=false -c gc.auto=0 "$@"
}

# No compression: the objects are read again at once, and not transferred.
import_pristine() {
	tree_git init -q -b patched
	tree_git config core.compression 0
	tree_git add -f -A
	GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_COMMITTER_DATE='2000-01-01T00:00:00Z' \
		tree_git commit -q -m "pristine $(make -s -C "$TREE" kernelversion)"
	tree_git tag pristine
}

need_pristine() {
	local id source
	id=$(source_id)
	stamp_fresh "$BUILD/tree.source" "$id" && [[ -d $TREE/.git ]] && return
	source=${LAB_SOURCE:-}
	rm -rf "$TREE" "$BUILD/tree.source" "$BUILD/tree.series"
	if [[ ! $source ]]; then
		apt_lists
		step "fetch the kernel source package" fetch_source "$BUILD/source"
		source=$BUILD/source/usr/src/linux-source-$LAB_BASE.tar.xz
		[[ ! -f $BUILD/newer ]] || say "Debian has a newer kernel, $(<"$BUILD/newer"); the series is for $LAB_BASE"
	fi
	step "unpack the kernel source" unpack_source "$source" "$TREE"
	rm -rf "$BUILD/source"
	step "commit the pristine source" import_pristine
	stamp_write "$BUILD/tree.source" "$id"
}

# list_at LIST: the lines of LIST, without those that name a file which the tree does not have.
# A line names a file, or a program NAME by NAME.c, if this repository has it beside the list. It ends
# with "+= NAME", "+= -include NAME", or is NAME.
list_at() {
	local dir line name
	dir=$(dirname "$1")
	while IFS= read -r line; do
		name=${line##*+= }
		name=${name#-include }
		for name in "$name" "$name.c"; do
			if [[ $name && $name != *[' #']* && ! -f $TREE/$dir/$name ]] &&
				[[ -f $LAB_ROOT/$dir/$name || " ${KERNEL_PROGRAMS[*]} " == *" $name "* ]]; then
				continue 2
			fi
		done
		printf '%s\n' "$line"
	done <"$LAB_ROOT/$1"
}

update_lists() {
	local list
	for list in "${LISTS[@]}"; do
		[[ -f $TREE/$list ]] || continue
		list_at "$list" >"$TREE/$list.new"
		cat "$TREE/$list.new" >"$TREE/$list"
		rm "$TREE/$list.new"
		tree_git add -f -- "$list"
	done
}

# commit_patch PATCH: commit its diff, if it has one, and its new files
commit_patch() {
	local file=$PATCHES/$1 work info diff message path
	work=$(mktemp -d "$BUILD/patch.XXXXXX")
	info=$work/info diff=$work/diff message=$work/message
	git mailinfo --encoding=UTF-8 "$message" "$diff" <"$file" >"$info"
	[[ ! -f $(other_diff "$1") ]] || diff=$(other_diff "$1")

	echo "applying $1"
	if grep -q '^--- ' "$diff"; then
		tree_git apply --index --whitespace=error-all "$diff" || return
	fi
	for path in $(patch_header New-files "$file"); do
		new_files "$path" | while IFS= read -r path; do
			install -D -m "$(stat -c %a "$LAB_ROOT/$path")" "$LAB_ROOT/$path" "$TREE/$path"
			tree_git add -f -- "$path"
		done
	done
	[[ $(patch_header New-files "$file") != *tools/testing/* ]] || update_lists
	{
		sed -n 's/^Subject: //p' "$info"
		echo
		cat "$message"
	} | git interpret-trailers --trailer "$(<"$PATCHES/trailer")" >"$work/commit"
	GIT_AUTHOR_NAME=$(sed -n 's/^Author: //p' "$info") \
	GIT_AUTHOR_EMAIL=$(sed -n 's/^Email: //p' "$info") \
	GIT_AUTHOR_DATE=$(sed -n 's/^Date: //p' "$info") \
	GIT_COMMITTER_DATE=$(sed -n 's/^Date: //p' "$info") \
		tree_git commit -q -F "$work/commit"
	rm -rf "$work"
}

commit_series() {
	local patch
	# discard what is checked out there
	tree_git checkout -q -f -B patched pristine
	tree_git clean -q -fdx -e /usr/include
	while IFS= read -r patch; do
		commit_patch "$patch" || return
	done < <(series)
}

# need_tree: update the patched tree from patches/ and the new files
need_tree() {
	local key
	need_pristine
	check_new_files || die "the new files and the series do not agree (above)"
	check_other_bases || die "the series of the bases do not agree (above)"
	key=$(content_hash patches scripts/lib/tree.sh "${MIRRORED[@]}")
	if stamp_fresh "$BUILD/tree.series" "$key" &&
		[[ $(tree_git symbolic-ref -q --short HEAD) == patched ]]; then
		return
	fi
	rm -f "$BUILD/tree.series"
	step "apply the series" commit_series
	stamp_write "$BUILD/tree.series" "$key"
}

# The commits of the series, oldest first.
tree_commits() {
	tree_git rev-list --reverse pristine..patched
}

# tree_key PATH…: changes when the content of one of these paths in the patched tree changes
tree_key() {
	local path
	for path; do
		tree_git rev-parse "patched:$path"
	done | sha256sum | cut -c1-40
}
