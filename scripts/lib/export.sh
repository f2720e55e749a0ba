# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The series as mails for "git am" on a pristine tree, with new files included: in one
# directory for the checks, or in one for each topic, with a cover letter, for sending.

export_series() {
	local dir=$1
	mkdir -p "$dir"
	tree_git format-patch -q --no-signature -o "$dir" pristine.."$(exported_commit)"
}

# exported_commit: the last commit that is for the kernel
exported_commit() {
	topic_commits "$(exported_topics | tail -n 1)" | tail -n 1
}

# topic_commits TOPIC: commits of a topic in the patched tree, oldest first
topic_commits() {
	paste -d ' ' <(series) <(tree_commits) | sed -n "s|^$1/[^ ]* ||p"
}

# The commit of the pristine source, if the source is a git tree of the user
base_commit() {
	if [[ -d ${LAB_SOURCE:-} ]] && is_git_tree "$LAB_SOURCE"; then
		git -C "$LAB_SOURCE" rev-parse -q --verify HEAD 2>/dev/null || :
	fi
}

# cover_tail TOPIC: the end of the cover letter
cover_tail() {
	local topic=$1 need base
	printf '\nNeeds: %s\n' "$(topic_needs "$topic" | xargs | sed 's/^$/nothing/')"
	printf '\nChanges since the last version: this is the first one.\n'
	base=$(base_commit)
	printf '\n'
	[[ ! $base ]] || printf 'base-commit: %s\n' "$base"
	for need in $(topic_needs "$topic"); do
		topic_commits "$need"
	done | while IFS= read -r commit; do
		tree_git show "$commit" | git patch-id --stable | sed 's/ .*//; s/^/prerequisite-patch-id: /'
	done
}

# write_cover TOPIC FILE: replace the placeholders of git for subject and text
write_cover() {
	local topic=$1 file=$2 subject
	subject=$(topic_field "$topic" Subject)
	{
		sed '1,/^$/d' "$PATCHES/$topic/cover"
		cover_tail "$topic"
	} >"$file.text"
	sed -i -e "s|\*\*\* SUBJECT HERE \*\*\*|${subject//[\\|&]/\\&}|" \
		-e "/\*\*\* BLURB HERE \*\*\*/{
			r $file.text
			d
		}" "$file"
	rm "$file.text"
}

# export_topic TOPIC DIR: write mails, cover letter, and recipients
export_topic() {
	local topic=$1 dir=$2 commits mails
	mapfile -t commits < <(topic_commits "$topic")
	tree_git format-patch -q --no-signature --cover-letter --thread=shallow \
		--subject-prefix="PATCH $(topic_field "$topic" Tree)" -o "$dir" \
		"${commits[0]}^..${commits[-1]}" || return
	write_cover "$topic" "$dir"/0000-*.patch || return
	mapfile -t mails < <(exported_mails "$dir")
	(cd "$TREE" && scripts/get_maintainer.pl --no-git --no-git-fallback --no-rolestats \
		"${mails[@]}") >"$dir/recipients"
	[[ -s $dir/recipients ]]
}

# exported_mails DIR…: mails with patches, without cover letters
exported_mails() {
	find "$@" -name '*.patch' ! -name '0000-*' | LC_ALL=C sort
}

export_topics() {
	local dir=$1 topic
	while IFS= read -r topic; do
		export_topic "$topic" "$dir/$topic" || return
	done < <(exported_topics)
}

# prove_export MAIL…: apply mails to a pristine checkout, and compare it with the patched tree
prove_export() {
	local check=$BUILD/export-check status=0
	rm -rf "$check"
	tree_git worktree prune
	tree_git worktree add -q --detach "$check" pristine
	# joined by &&, because bash ignores errors in a condition
	(
		cd "$check" &&
			git -c user.name=lab -c user.email=lab@localhost -c core.autocrlf=false \
				-c commit.gpgsign=false am -q "$@" &&
			[[ $(git rev-parse 'HEAD^{tree}') == "$(tree_git rev-parse "$(exported_commit)^{tree}")" ]] &&
			git diff --quiet HEAD
	) || status=$?
	tree_git worktree remove --force "$check"
	return $status
}
