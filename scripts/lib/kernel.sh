# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Our own build of the patched tree: a small kernel with debugging options
# (scripts/debug.config).

DEBUG_BUILD=$BUILD/kernel/debug

debug_make() {
	make -C "$TREE" O="$DEBUG_BUILD" CC="ccache gcc" HOSTCC="ccache gcc" \
		KBUILD_BUILD_TIMESTAMP='1970-01-01' KBUILD_BUILD_USER=lab KBUILD_BUILD_HOST=lab \
		-j "$JOBS" "$@"
}

# Every option of the fragment must be in the configuration: Kconfig drops options
# whose dependencies are missing.
configure_debug() {
	local line status=0
	mkdir -p "$DEBUG_BUILD"
	debug_make KCONFIG_ALLCONFIG="$LAB_ROOT/scripts/debug.config" allnoconfig
	while IFS= read -r line; do
		grep -qxF -- "$line" "$DEBUG_BUILD/.config" && continue
		echo "not in the configuration: $line"
		status=1
	done < <(grep '^CONFIG_' "$LAB_ROOT/scripts/debug.config")
	return $status
}

install_debug() {
	local dir=$BOOT/debug release
	release=$(<"$DEBUG_BUILD/include/config/kernel.release")
	rm -rf "$dir"
	mkdir -p "$dir/boot"
	debug_make INSTALL_MOD_PATH="$dir" modules_install
	cp "$DEBUG_BUILD/arch/x86/boot/bzImage" "$dir/boot/vmlinuz-$release"
}

# need_debug_boot: build the debug kernel if necessary, and set BOOT_KERNEL to it
need_debug_boot() {
	local key sources stamp=$DEBUG_BUILD/stamp
	need_tree
	# tests and documents are not part of the kernel
	mapfile -t sources < <(tree_git ls-tree --name-only patched | grep -vxE 'tools|Documentation|MAINTAINERS')
	key="$(tree_key "${sources[@]}") $(content_hash scripts/debug.config)"
	if ! stamp_fresh "$stamp" "$key"; then
		rm -f "$stamp"
		step "configure the debug kernel" configure_debug
		step "build the debug kernel" debug_make bzImage modules
		step "install the debug kernel under build" install_debug
		stamp_write "$stamp" "$key"
	fi
	BOOT_KERNEL=$(echo "$BOOT"/debug/boot/vmlinuz-*)
	export BOOT_KERNEL
}
