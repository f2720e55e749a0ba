# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Messages, steps with a log, stamps. Sourced by every script.
#
# Messages go to standard error. Standard output is for the command that the
# user runs.

# The kernel that the series is for
LAB_BASE=${LAB_BASE:-6.12}
BUILD=$LAB_ROOT/build
[[ $LAB_BASE == 6.12 ]] || BUILD+=/$LAB_BASE
LOG=$BUILD/log
mkdir -p "$BUILD" "$LOG"

JOBS=$(nproc)

# All clones share the cache of ccache, because paths are relative to the clone. So the
# debug information of a module may name the directory of another clone.
export CCACHE_BASEDIR=$LAB_ROOT CCACHE_NOHASHDIR=1
if [[ ! ${CCACHE_DIR:-} && ! -w ${XDG_CACHE_HOME:-${HOME:-/}} && ! -w ${HOME:-/nonexistent} ]]; then
	export CCACHE_DIR=$BUILD/ccache
fi

# Use the list of headers that the compiler writes for make. Otherwise each file is
# preprocessed twice, and a first build of the debug kernel took half as long again.
export CCACHE_DEPEND=1

say() {
	printf 'lab: %s\n' "$*" >&2
}

die() {
	say "$*"
	exit 1
}

# step TITLE COMMAND…: run COMMAND with its output in a log named after TITLE, show
# progress, and on failure print the name of the step and the end of the log.
step() {
	local title=$1 log pid start=$SECONDS told=0 rc=0
	shift
	log=$LOG/$(tr -cs 'a-zA-Z0-9.\n' '-' <<<"$title").log

	printf 'lab: %s … ' "$title" >&2
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	# shellcheck disable=SC2064 # the process of this step, not of a later one
	trap "kill $pid 2>/dev/null; exit 130" INT TERM
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.2
		if ((SECONDS - start >= told + 20)); then
			told=$((SECONDS - start))
			printf '%ss … ' "$told" >&2
		fi
	done
	wait "$pid" || rc=$?
	trap - INT TERM

	if ((rc == 0)); then
		printf 'done (%ss)\n' $((SECONDS - start)) >&2
		return 0
	fi
	printf 'FAILED\n' >&2
	say "the step \"$title\" failed with status $rc. The end of $log:"
	tail -n 25 "$log" | sed 's/^/  | /' >&2
	exit 1
}

# A stamp records the input of a result. If it is fresh, the result is up to date.
stamp_fresh() {
	[[ -f $1 && $(<"$1") == "$2" ]]
}

stamp_write() {
	mkdir -p "$(dirname "$1")"
	printf '%s' "$2" >"$1"
}

# Hash of the contents and modes of files and directories, in a stable order. Paths are
# relative to the repository, so that stamps stay fresh in a moved checkout.
content_hash() {
	(
		cd "$LAB_ROOT" || exit
		# a directory need not exist yet
		files=$(find "$@" -type f \( ! -path '*/.*' -o -name .kunitconfig -o -name .gitignore \) \
			-printf '%m %p\n' 2>/dev/null | LC_ALL=C sort) || :
		{
			printf '%s\n' "$files"
			cut -d ' ' -f 2- <<<"$files" | tr '\n' '\0' | xargs -0 -r sha256sum
		} | sha256sum | cut -c1-40
	)
}

# Only one lab at a time may change files below build/. The lock is held until the
# process ends or calls unlock_build (before a virtual machine boots).
lock_build() {
	[[ ${LAB_LOCKED:-} ]] && return
	exec {LAB_LOCK_FD}>"$BUILD/lock"
	if ! flock -n "$LAB_LOCK_FD"; then
		say "another lab is at work in $BUILD; waiting for it"
		flock "$LAB_LOCK_FD"
	fi
	export LAB_LOCKED=1
}

unlock_build() {
	[[ ${LAB_LOCK_FD:-} ]] || return 0
	exec {LAB_LOCK_FD}>&-
	unset LAB_LOCK_FD LAB_LOCKED
}
