# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The programs of tools/can, built below build/ with their own makefile, and their
# tests, which run in the virtual machine as a collection of the kernel's kselftest
# runner.

TOOLS_PACKAGES=(libjansson-dev libnl-3-dev libnl-genl-3-dev libnl-route-3-dev libkmod-dev
	liburing-dev)
TOOLS_CHECK_PACKAGES=(mandoc python3-jsonschema python3-matplotlib rt-tests)
TOOLS=$BUILD/tools
TOOLS_COLLECTION=$BUILD/tools-kselftest

build_can_tools() {
	local log=$LOG/can-tools.compile.log
	rsync -a --delete --exclude '*.[oda]' --exclude /bin "$LAB_ROOT/tools/can/" "$TOOLS/"
	make -C "$TOOLS" CC="ccache gcc" -j "$JOBS" all tests 2>&1 | tee "$log"
	if grep -E '(warning|error):' "$log"; then
		echo "the measuring programs do not build without a warning"
		return 1
	fi
}

need_can_tools() {
	local key
	need_packages "${TOOLS_PACKAGES[@]}"
	key=$(content_hash tools/can include/uapi)
	stamp_fresh "$TOOLS.stamp" "$key" && return
	rm -f "$TOOLS.stamp"
	step "build the measuring programs" build_can_tools
	stamp_write "$TOOLS.stamp" "$key"
}

# The tests that need no interface, with Debian's Python, which has the packages
check_can_tools() {
	PATH=/usr/bin:$PATH make -C "$TOOLS" check | tee "$LOG/can-tools.check.log" || return
	! grep 'skipped: ' "$LOG/can-tools.check.log"
}

# Each installed program starts and has a man page. The rules of the gateway have a directory.
check_can_tools_install() {
	local root=$BUILD/tools-install program name PATH=/usr/bin:$PATH
	rm -rf "$root"
	make -C "$TOOLS" DESTDIR="$root" PREFIX=/usr install || return
	for program in "$root"/usr/bin/*; do
		name=$(basename "$program")
		grep -q "usage: $name" <<<"$("$program" --help)" || return
		mandoc -Tlint -W warning "$root/usr/share/man/man1/$name.1" || return
	done
	[[ -d $root/etc/can ]]
}

# Put the runner, its list, and the programs into one directory.
collect_tool_tests() {
	local name
	rm -rf "$TOOLS_COLLECTION"
	mkdir -p "$TOOLS_COLLECTION/tools"
	cp -r "$TREE/tools/testing/selftests/kselftest" "$TREE/tools/testing/selftests/run_kselftest.sh" \
		"$TOOLS_COLLECTION/"
	ln -s "$TOOLS" "$TOOLS_COLLECTION/tools/can"
	for name in "$TOOLS"/tests/*.sh; do
		[[ -x $name ]] && printf 'tools/can/tests:%s\n' "$(basename "$name")"
	done >"$TOOLS_COLLECTION/kselftest-list.txt"
	[[ -s $TOOLS_COLLECTION/kselftest-list.txt ]]
}
