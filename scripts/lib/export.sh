# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The series as mails for "git am" on a pristine tree, new files included.

export_series() {
	local dir=$1
	mkdir -p "$dir"
	tree_git format-patch -q --no-signature -o "$dir" pristine..patched
}

# Apply the mails to an untouched checkout and compare every file of the result.
prove_export() {
	local dir=$1 check=$BUILD/export-check status=0
	rm -rf "$check"
	tree_git worktree prune
	tree_git worktree add -q --detach "$check" pristine
	(
		cd "$check"
		git -c user.name=lab -c user.email=lab@localhost -c core.autocrlf=false \
			-c commit.gpgsign=false am -q "$dir"/*.patch
		[[ $(git rev-parse 'HEAD^{tree}') == "$(tree_git rev-parse 'patched^{tree}')" ]]
		git diff --quiet HEAD
	) || status=$?
	tree_git worktree remove --force "$check"
	return $status
}
