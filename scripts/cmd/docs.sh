#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree docs; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab docs [--picture]

	Builds the documents, and prints their paths:

	  build/docs/html/index.html  the pages for users, the kernel's documents on what the
	                              series adds, the netlink specification, and the man
	                              pages of the programs
	  build/docs/man/             the man pages can-fastpath(7) and can-gateway(7)

	A warning of Sphinx or of mandoc is an error. The sources are in Documentation/ and
	in tools/can/man/.

	  --picture  first draw the picture of README.md, Documentation/can-fastpath/loss.svg,
	             from the results of "./lab bench load" in build/bench/
	END
}

picture=
while (($#)); do
	case $1 in
	--picture) picture=yes ;;
	-h | --help)
		usage
		exit 0
		;;
	*) die "unknown argument \"$1\" (see ./lab docs --help)" ;;
	esac
	shift
done

lock_build
need_basics
need_tree
need_docs
if [[ $picture ]]; then
	need_packages "${PICTURE_PACKAGES[@]}"
	step "draw the picture" draw_picture
fi
step "build the documents" build_docs
printf '%s\n' "$DOCS/html/index.html" "$DOCS"/man/*.[1-8]
