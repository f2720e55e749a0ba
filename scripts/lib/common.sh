# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Messages, steps with a log, stamps. Sourced by every script of the lab.
#
# All messages go to standard error: standard output belongs to what the user
# asked to run.

BUILD=$LAB_ROOT/build
LOG=$BUILD/log
mkdir -p "$BUILD" "$LOG"

JOBS=$(nproc)

# The compiler's cache is where ccache has it, outside of the checkout: another clone finds
# there what this one has compiled, because paths count relative to the clone. What modules
# say to a debugger of the directory that they were compiled in may be that of the other clone.
export CCACHE_BASEDIR=$LAB_ROOT CCACHE_NOHASHDIR=1
if [[ ! ${CCACHE_DIR:-} && ! -w ${XDG_CACHE_HOME:-${HOME:-/}} && ! -w ${HOME:-/nonexistent} ]]; then
	export CCACHE_DIR=$BUILD/ccache
fi

# A first build of the debug kernel took half as long again with ccache as without
# it, because every file went through the preprocessor twice. The list of headers
# that the compiler writes for make says the same.
export CCACHE_DEPEND=1

say() {
	printf 'lab: %s\n' "$*" >&2
}

die() {
	say "$*"
	exit 1
}

# step TITLE COMMAND…: run COMMAND with its output in a log named after TITLE,
# show that it is alive, and on failure name the step, the log and its end.
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

# A stamp records what a result was made from; fresh means: nothing to do.
stamp_fresh() {
	[[ -f $1 && $(<"$1") == "$2" ]]
}

stamp_write() {
	mkdir -p "$(dirname "$1")"
	printf '%s' "$2" >"$1"
}

# Hash of the content and modes of files and folders, in a stable order. Names count
# relative to the repository, so a moved checkout keeps its stamps.
content_hash() {
	(
		cd "$LAB_ROOT" || exit
		# a folder that is named need not exist yet
		files=$(find "$@" -type f \( ! -path '*/.*' -o -name .kunitconfig -o -name .gitignore \) \
			-printf '%m %p\n' 2>/dev/null | LC_ALL=C sort) || :
		{
			printf '%s\n' "$files"
			cut -d ' ' -f 2- <<<"$files" | tr '\n' '\0' | xargs -0 -r sha256sum
		} | sha256sum | cut -c1-40
	)
}

# Only one lab at a time may change what lies under build/. The lock is held
# until the process ends or unlock_build is called (before a machine boots).
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
