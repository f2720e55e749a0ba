# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds every CAN module that a kernel enables, from the patched tree against the
# headers of that kernel, and the directories from which a virtual machine boots.
#
# All modules are rebuilt, not only those that a patch changes. A patch may change a
# structure that CAN modules share, and with it the versions of exported symbols. The
# distribution's other CAN modules then cannot be loaded (CONFIG_MODVERSIONS).

# The part of the tree that a module build needs. These headers take precedence over
# those of the target kernel.
MODULE_SOURCES=(
	net/can drivers/net/can
	include/linux/can include/uapi/linux/can include/uapi/linux/can.h
)

BOOT=$BUILD/boot

# Options that no distribution enables: the queueing discipline, the simulated buses and
# controllers, the mscan driver for them, and the modules of the test harness beside them
NEW_OPTIONS=(
	CONFIG_CAN_SCH_PRIO=m
	CONFIG_CAN_SIM=m CONFIG_CAN_SIM_SJA1000=m CONFIG_CAN_SIM_MCP251X=m
	CONFIG_CAN_MSCAN=m CONFIG_CAN_SIM_MSCAN=m CONFIG_CAN_SIM_ETHER=m
	CONFIG_CAN_SIM_SUSPEND=m CONFIG_CAN_SIM_BARE=m
)
SIM_FOLDERS=(drivers/net/can/mscan drivers/net/can/sim{,/bare,/ether,/mcp251x,/mscan,/sja1000,/suspend})

copy_module_sources() {
	local to=$1
	mkdir -p "$to"
	# By checksum, because a new tree has new times and mostly the same content
	(cd "$TREE" && rsync -rlp --checksum --relative --delete --delete-missing-args \
		--filter='P *.o' --filter='P *.ko' --filter='P *.mod*' --filter='P .*.cmd' \
		--filter='P *.order' --filter='P *.symvers' --filter='P *.a' \
		"${MODULE_SOURCES[@]}" "$to/")
	echo 'obj-y += net/can/ drivers/net/can/' >"$to/Kbuild"
}

# rename_symbols HEADERS SOURCE: where the kernel has no versions of symbols, a driver of the distribution
# would be loaded with our core, or ours with its core, and use other structures. So what our modules
# export gets other names.
rename_symbols() {
	local headers=$1 source=$2 file=$2/include/symbols.h
	if grep -qx CONFIG_MODVERSIONS=y "$BASE_ROOT$headers/.config"; then
		rm -f "$file"
		return
	fi
	grep -rhoE 'EXPORT_SYMBOL[A-Z_]*\(\w+' --include='*.c' "$source/net/can" "$source/drivers/net/can" |
		sed 's/.*(//' | LC_ALL=C sort -u | sed 's/.*/#define & fastpath_&/' >"$file.new"
	cmp -s "$file.new" "$file" || mv "$file.new" "$file"
	rm -f "$file.new"
}

# copy_commit COMMIT DIR: copy the sources of one commit of the tree to DIR/src
copy_commit() {
	local commit=$1 dir=$2
	rm -rf "$dir/tree"
	mkdir -p "$dir/tree"
	tree_git archive "$commit" -- "${MODULE_SOURCES[@]}" | tar -x -C "$dir/tree"
	TREE=$dir/tree copy_module_sources "$dir/src"
}

# module_make HEADERS SOURCE [MAKE-ARGUMENT…]
#
# NOSTDINC_FLAGS is the only option that comes before the include directories of the
# kernel on the compiler's command line.
module_make() {
	local headers=$1 source=$2 first=
	shift 2
	[[ ! -f $source/include/symbols.h ]] || first=" -include $source/include/symbols.h"
	in_root make -C "$headers" M="$source" CC="ccache $KERNEL_CC" W=1 -j "$JOBS" \
		NOSTDINC_FLAGS="-nostdinc -I$source/include -I$source/include/uapi$first" \
		"${NEW_OPTIONS[@]}" "$@"
}

compile_modules() {
	local headers=$1 source=$2 log
	log=$source/.compile.log
	module_make "$headers" "$source" modules 2>&1 | tee "$log" || return
	# Objects that are up to date were compiled without warnings
	if grep -E '(warning|WARNING):' "$log"; then
		echo "the modules do not build without a warning"
		# compile again next time, to repeat the warning
		find "$source" -name '*.o' -delete
		return 1
	fi
}

# build_modules HEADERS NAME: build in build/modules/NAME/src; module_files NAME then
# lists the modules
build_modules() {
	local headers=$1 name=$2 dir=$BUILD/modules/$2 key
	need_tree
	key="$headers $(tree_key "${MODULE_SOURCES[@]}") $KERNEL_CC"
	stamp_fresh "$dir/stamp" "$key" && return
	rm -f "$dir/stamp"
	step "copy module sources for $name" copy_module_sources "$dir/src"
	rename_symbols "$headers" "$dir/src"
	step "build the CAN modules for $name" compile_modules "$headers" "$dir/src"
	stamp_write "$dir/stamp" "$key"
	say "$(module_files "$name" | wc -l) modules are in build/modules/$name/src"
}

# build_baseline_sim HEADERS NAME: build the simulator for the distribution's own modules,
# against their headers, with the upstream mscan driver, the fixes, and the patch with which
# its registers can be simulated
build_baseline_sim() {
	local headers=$1 name=$2 dir=$BUILD/modules/$2 key commit
	need_tree
	need_baseline_sim
	commit=$(tree_git rev-parse baseline-sim)
	key="$headers $(tree_key "${SIM_FOLDERS[@]}") $commit $KERNEL_CC"
	stamp_fresh "$dir/stamp" "$key" && return
	rm -f "$dir/stamp"
	step "copy the sources of the simulator for $name" copy_baseline_sim "$commit" "$dir"
	step "build the simulator for $name" compile_modules "$headers" "$dir/src"
	stamp_write "$dir/stamp" "$key"
}

copy_baseline_sim() {
	local commit=$1 dir=$2
	copy_commit "$commit" "$dir"
	rsync -a --delete "$TREE/drivers/net/can/sim/" "$dir/src/drivers/net/can/sim/"
	{
		# as the Makefiles above these folders have it
		echo 'subdir-ccflags-y += -include linux/can/compat.h'
		printf 'obj-y += %s/\n' "${SIM_FOLDERS[@]}"
	} >"$dir/src/Kbuild"
}

module_files() {
	(cd "$BUILD/modules/$1/src" && find . -name '*.ko' -printf '%P\n' | LC_ALL=C sort)
}

# make_boot NAME KERNEL_DIR RELEASE MODULES: make a directory with boot/vmlinuz-* and
# lib/modules/RELEASE for virtme-ng. MODULES are in updates/, which modprobe prefers to
# the distribution's modules.
make_boot() {
	local dir=$BOOT/$1 kernel=$2 release=$3 modules=$4 to file
	to=$dir/lib/modules/$release
	rm -rf "$dir"
	mkdir -p "$dir/boot" "$to"
	cp -l "$kernel/boot/vmlinuz-$release" "$dir/boot/" 2>/dev/null ||
		cp "$kernel/boot/vmlinuz-$release" "$dir/boot/"
	cp "$kernel/lib/modules/$release"/modules.* "$to/"
	ln -s "$kernel/lib/modules/$release/kernel" "$to/kernel"
	(cd "$BUILD/modules/$modules/src" && module_files "$modules" |
		while IFS= read -r file; do
			install -D -m 644 "$file" "$to/updates/$file"
		done)
	echo 'search updates built-in' >"$dir/depmod.conf"
	depmod -C "$dir/depmod.conf" -b "$dir" "$release"
}

# need_topic_boot TOPIC: set BOOT_KERNEL, with the modules of a topic and of those it needs
need_topic_boot() {
	local dir=$BUILD/modules/topic
	need_kernel stock
	rm -f "$dir/stamp"
	step "copy the module sources of $1" copy_commit "topics/$1" "$dir"
	# modules of another topic remain without their sources
	find "$dir/src" -name '*.ko' -delete
	step "build the CAN modules of $1" compile_modules "$KERNEL_HEADERS" "$dir/src"
	step "lay out the modules of $1" make_boot topic "$KERNEL_DIR" "$KERNEL_RELEASE" topic
	# shellcheck disable=SC2034 # used by the script that sources this file
	BOOT_KERNEL=$BOOT/topic/boot/vmlinuz-$KERNEL_RELEASE
}

# need_boot FLAVOUR patched|baseline: build if necessary, and set BOOT_KERNEL, the image to boot
need_boot() {
	local flavour=$1 kind=$2 name=$1-$2 key modules=$1
	need_kernel "$flavour"
	if [[ $kind == patched ]]; then
		build_modules "$KERNEL_HEADERS" "$flavour"
		key="$KERNEL_RELEASE $(<"$BUILD/modules/$flavour/stamp")"
	else
		modules=$name
		build_baseline_sim "$KERNEL_HEADERS" "$name"
		key="$KERNEL_RELEASE $(<"$BUILD/modules/$name/stamp")"
	fi
	# shellcheck disable=SC2034 # used by the script that sources this file
	BOOT_KERNEL=$BOOT/$name/boot/vmlinuz-$KERNEL_RELEASE
	stamp_fresh "$BOOT/$name/stamp" "$key" && return
	step "lay out the modules of the $name machine" \
		make_boot "$name" "$KERNEL_DIR" "$KERNEL_RELEASE" "$modules"
	stamp_write "$BOOT/$name/stamp" "$key"
}
