# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Netlink families: the files that the kernel's ynl tools generate from a specification
# in Documentation/netlink/specs/. They are part of the series, as in the kernel.

# A generated file has a line with the options of the generator.
GENERATED_LINE='YNL-GEN'

generated_files() {
	git -C "$LAB_ROOT" grep -l --untracked "^/\* $GENERATED_LINE " -- '*.h' '*.c'
}

# The generator of 6.12 puts a slash into the include guard of a header in a directory.
guard_without_slash() {
	sed -E '/^#(ifndef|define|endif).*_UAPI_/s|([A-Z])/([A-Z])|\1_\2|'
}

GENERATED=$BUILD/generated

# generate_netlink FILE: generate it in build/generated/
generate_netlink() {
	local file=$LAB_ROOT/$1 to=$GENERATED/$1 spec mode kind
	mkdir -p "$(dirname "$to")"
	spec=$(sed -n 's|^/\*\t\(.*\.yaml\) \*/$|\1|p' "$file")
	read -r mode kind < <(sed -n "s|^/\\* $GENERATED_LINE \\(.*\\) \\*/\$|\\1|p" "$file")
	(cd "$TREE" && "$VENV/bin/python" tools/net/ynl/ynl-gen-c.py --spec "$spec" \
		--mode "$mode" "--$kind" -o "$to") || return
	guard_without_slash <"$to" >"$to.new" && mv "$to.new" "$to"
}

# The files in the repository are up to date with the specification.
check_netlink() {
	local file status=0 files
	rm -rf "$GENERATED"
	mapfile -t files < <(generated_files)
	((${#files[@]})) || return
	for file in "${files[@]}"; do
		printf '%s\n' "$file"
		generate_netlink "$file" || status=1
		diff -u "$LAB_ROOT/$file" "$GENERATED/$file" || status=1
	done
	return $status
}
