# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian 13 in build/BASE/root: its compiler and the headers of the kernels of another base than
# 6.12, whose programs (modpost, objtool) need a newer C library than Debian 12 has. Nothing of it
# was configured, and nothing in it is written to.

BASE_ROOT=
[[ $LAB_BASE == 6.12 ]] || BASE_ROOT=$BUILD/root

# other_suite: Debian's suite that has the kernel of this base
other_suite() {
	echo trixie-backports
}

# with_base_lists COMMAND…: run it with the package lists that have the kernel of this base; these
# are fetched at most once a day
with_base_lists() {
	if [[ $LAB_BASE == 6.12 ]] || ! on_debian; then
		"$@"
		return
	fi
	(
		if [[ $(find "$BUILD/base-lists" -mtime -1 2>/dev/null) ]]; then
			APT_CONFIG=$BUILD/apt-$(other_suite)/apt.conf
			export APT_CONFIG
		else
			use_lists "$(other_suite)" >/dev/null || exit
			touch "$BUILD/base-lists"
		fi
		"$@"
	)
}

unpack_root() {
	local packages=$1 new=$BASE_ROOT.new
	as_root rm -rf "$new"
	{
		debian_sources trixie
		debian_sources "$(other_suite)"
	} | as_root env -u APT_CONFIG mmdebstrap --variant=extract --include='?essential' --include="$packages" \
		--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr trixie "$new" - || return
	# an alternative, which a script would have chosen
	as_root ln -s mawk "$new/usr/bin/awk"
	as_root rm -rf "$BASE_ROOT"
	as_root mv "$new" "$BASE_ROOT"
}

# need_root VERSION: unpack it, with the headers of this version's kernels
need_root() {
	local packages=gcc-14,make,perl,ccache,linux-headers-$1-amd64,linux-headers-$1-rt-amd64
	need_packages mmdebstrap bubblewrap
	stamp_fresh "$BUILD/root.stamp" "$packages" && return
	step "unpack Debian 13 with the headers of $1" unpack_root "$packages"
	stamp_write "$BUILD/root.stamp" "$packages"
}

# in_root COMMAND…: run it there, with the same build directory and cache; for 6.12, run it on the host
in_root() {
	local cache
	if [[ ! $BASE_ROOT ]]; then
		"$@"
		return
	fi
	cache=$(ccache -k cache_dir)
	mkdir -p "$cache"
	bwrap --ro-bind "$BASE_ROOT/usr" /usr --ro-bind "$BASE_ROOT/etc" /etc \
		--symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 \
		--proc /proc --dev /dev --tmpfs /tmp --bind "$LAB_ROOT" "$LAB_ROOT" \
		--bind "$cache" "$cache" --setenv CCACHE_DIR "$cache" --setenv PATH /usr/bin \
		--die-with-parent --chdir "$LAB_ROOT" "$@"
}
