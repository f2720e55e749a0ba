# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The documents as one tree: the pages for users, those that are new to the kernel, the
# netlink specification, and the man pages of the programs. Sphinx runs with the extensions
# of the patched kernel tree, which resolve Documentation/… and kernel-doc.

DOCS=$BUILD/docs
DOCS_USERS=$LAB_ROOT/Documentation/can-fastpath
DOCS_PACKAGES=(mandoc)
PICTURE_PACKAGES=(python3-jsonschema python3-matplotlib)
PICTURE_CASE='mpc5200, load ethernet, bursts of 16'

# need_docs: what the functions below run
need_docs() {
	need_packages "${DOCS_PACKAGES[@]}"
	need_venv requirements-checks.txt
}

# The newest version that CHANGELOG.md describes
docs_version() {
	cat "$LAB_ROOT/tools/can/VERSION"
}

# collect_docs DIR: the sources, at their path below Documentation/. The index of the pages for
# users becomes the index of the tree.
collect_docs() {
	local dir=$1 spec
	mkdir -p "$dir/networking/netlink_spec" || return
	cp -r "$DOCS_USERS" "$dir/" || return
	mv "$dir/can-fastpath/index.rst" "$dir/" || return
	cp "$LAB_ROOT"/Documentation/networking/can-*.rst "$dir/networking/" || return
	for spec in "$LAB_ROOT"/Documentation/netlink/specs/*.yaml; do
		"$VENV/bin/python" "$TREE/tools/net/ynl/ynl-gen-rst.py" -i "$spec" \
			-o "$dir/networking/netlink_spec/$(basename "$spec" .yaml).rst" || return
	done
}

# run_sphinx BUILDER: any warning is an error
run_sphinx() {
	KERNEL_TREE=$TREE DOCS_VERSION=$(docs_version) PYTHONDONTWRITEBYTECODE=1 \
		"$VENV/bin/sphinx-build" -q -W --keep-going -b "$1" -c "$DOCS_USERS" \
		-d "$DOCS/doctrees" "$DOCS/source" "$DOCS/$1"
}

# render_manuals DIR: the man pages of the programs, as HTML. A page that is not among them is a
# link to Debian's. mandoc looks for the others in its working directory.
render_manuals() {
	local dir=$1 pages page
	pages=("$LAB_ROOT"/tools/can/man/*.[1-8])
	mkdir -p "$dir" || return
	for page in "${pages[@]##*/}"; do
		: >"$dir/$page.html"
	done
	for page in "${pages[@]}"; do
		(cd "$dir" && mandoc -W warning -T html -O style=../_static/alabaster.css \
			-O 'man=%N.%S.html;https://manpages.debian.org/%N.%S' "$page" >"${page##*/}.html") || return
	done
}

build_docs() {
	rm -rf "$DOCS" || return
	collect_docs "$DOCS/source" || return
	run_sphinx html || return
	run_sphinx man || return
	# Sphinx puts the text before the first heading into the section NAME
	sed -i '0,/^\.sp$/s//.SH DESCRIPTION/' "$DOCS"/man/*.[1-8] || return
	render_manuals "$DOCS/html/man"
}

# picture_result KIND LABEL: the result of PICTURE_CASE with these modules, with another label
picture_result() {
	local runs=$BUILD/bench/runs/load from
	if ! from=$(grep -lF "\"label\":\"$PICTURE_CASE\"" "$runs/$1-1"/*.json 2>/dev/null); then
		echo "there is no result of \"$PICTURE_CASE\" in $runs/$1-1: run ./lab bench load"
		return 1
	fi
	sed "s/\"label\":\"[^\"]*\"/\"label\":\"$2\"/" "$from" >"$DOCS/picture/$1.json"
}

# draw_picture: the picture of README.md
draw_picture() {
	local dir=$DOCS/picture
	rm -rf "$dir" || return
	mkdir -p "$dir" || return
	picture_result baseline 'Linux 6.12' || return
	picture_result patched 'CAN fastpath' || return
	PATH=/usr/bin:$PATH "$LAB_ROOT/tools/can/canreport/canreport" --plots "$dir" \
		--compare label "$dir"/*.json || return
	# canreport names the figure that compares both after the release of the kernel
	cp "$dir"/6.*_profile1.svg "$DOCS_USERS/loss.svg"
}
