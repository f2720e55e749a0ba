# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Our own builds of the patched tree, each with the options of scripts/kernel.config and
# those of scripts/NAME.config: debug (KASAN, lockdep) and trace (sections with interrupts off
# are events). NAME-rt is the kernel NAME with PREEMPT_RT.

# own_make NAME ARGUMENT…
own_make() {
	local name=$1
	shift
	make -C "$TREE" O="$BUILD/kernel/$name" CC="ccache gcc" HOSTCC="ccache gcc" \
		KBUILD_BUILD_TIMESTAMP='1970-01-01' KBUILD_BUILD_USER=lab KBUILD_BUILD_HOST=lab \
		-j "$JOBS" "$@"
}

# PREEMPT_RT needs EXPERT, which makes visible what else is always on, such as BLOCK:
# allnoconfig would switch it off. So both are added to a complete configuration.
configure_own_rt() {
	local name=$1 dir=$BUILD/kernel/$1 file
	for file in "$dir/.config" "$dir/wanted"; do
		sed -i '/^CONFIG_PREEMPT_[A-Z]*=y/d' "$file"
		printf '%s=y\n' CONFIG_EXPERT CONFIG_PREEMPT_RT >>"$file"
	done
	own_make "$name" olddefconfig
}

configure_own() {
	local name=$1 line status=0 dir=$BUILD/kernel/$1
	mkdir -p "$dir"
	cat "$LAB_ROOT"/scripts/{kernel,"${name%-rt}"}.config >"$dir/wanted"
	own_make "$name" KCONFIG_ALLCONFIG="$dir/wanted" allnoconfig
	[[ $name != *-rt ]] || configure_own_rt "$name"
	while IFS= read -r line; do
		grep -qxF -- "$line" "$dir/.config" && continue
		echo "not in the configuration: $line"
		status=1
	done < <(grep '^CONFIG_' "$dir/wanted")
	return $status
}

install_own() {
	local name=$1 dir=$BOOT/$1 release
	release=$(<"$BUILD/kernel/$name/include/config/kernel.release")
	rm -rf "$dir"
	mkdir -p "$dir/boot"
	own_make "$name" INSTALL_MOD_PATH="$dir" modules_install
	cp "$BUILD/kernel/$name/arch/x86/boot/bzImage" "$dir/boot/vmlinuz-$release"
}

# need_own_boot NAME: build this kernel if necessary, and set BOOT_KERNEL to it
need_own_boot() {
	local name=$1 key sources stamp=$BUILD/kernel/$1/stamp
	need_tree
	# tests and documents are not part of the kernel
	mapfile -t sources < <(tree_git ls-tree --name-only patched | grep -vxE 'tools|Documentation|MAINTAINERS')
	key="$(tree_key "${sources[@]}") $(content_hash scripts/kernel.config "scripts/${name%-rt}.config")"
	if ! stamp_fresh "$stamp" "$key"; then
		rm -f "$stamp"
		step "configure the $name kernel" configure_own "$name"
		step "build the $name kernel" own_make "$name" bzImage modules
		step "install the $name kernel under build" install_own "$name"
		stamp_write "$stamp" "$key"
	fi
	BOOT_KERNEL=$(echo "$BOOT/$name"/boot/vmlinuz-*)
	export BOOT_KERNEL
}
