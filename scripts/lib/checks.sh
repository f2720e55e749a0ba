# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks without a virtual machine: the exported series, checkpatch, sparse, ruff, licences,
# kernel-doc, the documentation, and shellcheck.

CHECKS=$BUILD/checks

# shellcheck source=/dev/null
. "$LAB_ROOT/scripts/lib/docs.sh"

# checkpatch_ignores PATCH: its types in checkpatch.exceptions ("PATCH-PATTERN TYPE reason")
checkpatch_ignores() {
	local patch=$1 pattern type reason
	while read -r pattern type reason; do
		[[ $pattern && $pattern != '#'* && $reason ]] || continue
		# shellcheck disable=SC2053 # the left side is a pattern on purpose
		[[ $patch == $pattern ]] && printf '%s,' "$type"
	done <"$LAB_ROOT/scripts/checkpatch.exceptions"
}

# check_some_patches DIR FIRST: every JOBS-th patch, beginning with FIRST
check_some_patches() {
	local files=("$1"/*.patch) number status=0
	for ((number = $2; number < ${#files[@]}; number += JOBS)); do
		echo "== ${names[number]}"
		(cd "$TREE" && scripts/checkpatch.pl --strict --no-signoff --no-summary --show-types \
			--ignore "$(checkpatch_ignores "${names[number]##*/}")" "${files[number]}") || status=1
	done
	return $status
}

check_patches() {
	local dir=$1 files=("$1"/*.patch) names first pids=() pid status=0
	mapfile -t names < <(series | grep -f <(exported_topics | sed 's|.*|^&/|'))
	((${#files[@]} == ${#names[@]})) || return
	for ((first = 0; first < JOBS; first++)); do
		check_some_patches "$dir" $first >"$CHECKS/checkpatch.$first" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || status=1
	done
	for ((first = 0; first < JOBS; first++)); do
		cat "$CHECKS/checkpatch.$first"
	done
	return $status
}

# sparse_sources DIR COMMIT: warnings of sparse for all CAN sources of a commit, without line
# numbers, so that those of the pristine and the patched sources can be compared
sparse_sources() {
	local dir=$1
	copy_commit "$2" "$dir"
	module_make "$KERNEL_HEADERS" "$dir/src" C=2 CHECK=sparse modules >"$dir/output" 2>&1
	grep -E ':[0-9]+:[0-9]+: (warning|error):' "$dir/output" |
		sed -E "s|^.*/src/||; s/:[0-9]+:[0-9]+:/:/" | sort -u >"$dir/warnings" || :
	# without warnings, make sure that sparse has run
	grep -q '^ *CHECK ' "$dir/output"
}

check_sparse() {
	sparse_sources "$CHECKS/sparse-pristine" pristine || return
	sparse_sources "$CHECKS/sparse-patched" patched || return
	echo "new warnings of sparse:"
	if comm -13 "$CHECKS/sparse-pristine/warnings" "$CHECKS/sparse-patched/warnings" | grep .; then
		return 1
	fi
	echo none
}

shell_scripts() {
	git -C "$LAB_ROOT" ls-files --cached --others --exclude-standard | while IFS= read -r file; do
		if [[ -f $LAB_ROOT/$file ]] && head -n 2 "$LAB_ROOT/$file" | grep -qaE '^#!.*\b(ba)?sh\b|shellcheck shell='; then
			printf '%s\n' "$file"
		fi
	done
}

check_shell() {
	cd "$LAB_ROOT" || return
	mapfile -t scripts < <(shell_scripts)
	printf '%s\n' "${scripts[@]}"
	shellcheck -x -P SCRIPTDIR "${scripts[@]}"
}

check_python() {
	cd "$LAB_ROOT" || return
	"$VENV/bin/ruff" check --exclude build .
}

# Plan, verdicts and page, with made-up results
check_papers() {
	/usr/bin/python3 -B "$LAB_ROOT/scripts/papers/papers_test.py"
}

# licence_of FILE: its SPDX-License-Identifier
licence_of() {
	case $1 in
	Documentation/netlink/* | include/uapi/*) echo '((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)' ;;
	net/can/* | include/linux/can/*)
		if grep -q "^/\* $GENERATED_LINE " "$LAB_ROOT/$1"; then
			licence_of Documentation/netlink/
		else
			echo '(GPL-2.0 OR BSD-3-Clause)'
		fi
		;;
	*) echo 'GPL-2.0-only' ;;
	esac
}

# New files have the licence of the kernel's own files in their directory: see COPYING.
check_licences() {
	local file said wanted status=0
	while IFS= read -r file; do
		said=$(sed -nE '1,3s|^.*SPDX-License-Identifier: ([^*]*[^* ]).*$|\1|p' "$LAB_ROOT/$file")
		[[ $said || $file == *.[ch] ]] || continue
		wanted=$(licence_of "$file")
		[[ $said == "$wanted" ]] && continue
		echo "$file says \"$said\" instead of \"$wanted\""
		status=1
	done < <(new_files .)
	return $status
}

# kernel-doc of new files, and of files that a patch changes
check_kernel_doc() {
	cd "$TREE" || return
	mapfile -t files < <(git diff --name-only pristine patched -- '*.h' '*.c')
	scripts/kernel-doc -none -Wall -Werror "${files[@]}"
}

# The kernel builds its documentation set with the documents on CAN. A warning fails the check
# if it is about a file of the series; labels of other sets are unknown, and not reported.
check_kernel_documentation() {
	local log=$CHECKS/documentation.log file status=0
	mapfile -t files < <(tree_git diff --name-only pristine patched)
	rm -rf "$CHECKS/documentation/Documentation/output" "$TREE/Documentation/output"
	make -C "$TREE" O="$CHECKS/documentation" SPHINXDIRS=networking \
		SPHINXBUILD="$VENV/bin/sphinx-build" PYTHON3="$VENV/bin/python" htmldocs 2>&1 | tee "$log"
	for file in "${files[@]}"; do
		if grep -F "$file:" "$log" | grep -E 'WARNING|ERROR|warning|error' | grep -v 'undefined label'; then
			status=1
		fi
	done
	[[ -f $CHECKS/documentation/Documentation/output/networking/can.html ||
		-f $TREE/Documentation/output/networking/can.html ]] || status=1
	return $status
}

# The documents build without a warning: ours as "lab docs" does it, and those of the series in
# the kernel's set.
check_documentation() {
	build_docs || return
	check_kernel_documentation
}

CHECKS_FAILED=()

# check STEP-TITLE COMMAND…: run a check; later checks run even if it fails
check() {
	local title=$1
	if (step "$@"); then
		TESTS_PASSED=$((TESTS_PASSED + 1))
	else
		CHECKS_FAILED+=("$title")
	fi
}

static_checks() {
	local series=$CHECKS/series
	rm -rf "$series"
	mkdir -p "$CHECKS"
	need_docs
	check "topics" check_topics
	check "CAN files of the newest 6.12 source" check_base
	step "write the series" export_series "$series"
	check "apply the series with git am and compare" prove_export "$series"/*.patch
	check "checkpatch" check_patches "$series"
	check "sparse" check_sparse
	check "shellcheck" check_shell
	check "ruff" check_python
	check "licences" check_licences
	check "expected skips" prove_skips
	check "verdicts on KUnit suites" prove_kunit
	check "kernel-doc" check_kernel_doc
	check "netlink specifications" check_netlink
	check "documentation" check_documentation
	check "papers' experiments" check_papers
	((${#CHECKS_FAILED[@]} == 0)) || die "these checks failed: ${CHECKS_FAILED[*]}"
}
