#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree netlink; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab netlink

	Runs the kernel's ynl tools to generate the header for programs, the policies and
	the operations from a specification in Documentation/netlink/specs/. Run it after
	you have edited the specification.
	END
}

case ${1:-} in
'') ;;
-h | --help)
	usage
	exit 0
	;;
*)
	usage >&2
	exit 2
	;;
esac

lock_build
need_basics
need_tree
need_venv requirements-checks.txt
while IFS= read -r file; do
	generate_netlink "$file"
	cp "$GENERATED/$file" "$LAB_ROOT/$file"
	say "made $file"
done < <(generated_files)
