# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Topics: the directories of patches/. Each topic can be reviewed, and applied on the
# topics that it needs. Its file "cover" has a mail header, an empty line, and the text of
# the cover letter:
#
#	Subject: of the cover letter
#	Tree: can (fixes), can-next, 6.12 if only that kernel needs it, or none for the test harness: it
#		comes last, and is not exported
#	Needs: TOPIC…
#	Baseline: yes, if its kselftests have cases that need later topics

TOPIC_TREE=$BUILD/topic

# topics: all topics, in the order of the series
topics() {
	series | sed -n 's|/.*||p' | uniq
}

# exported_topics: topics without those of the test harness, which come last
exported_topics() {
	local topic
	topics | while IFS= read -r topic; do
		[[ $(topic_field "$topic" Tree) == none ]] || printf '%s\n' "$topic"
	done
}

topic_patches() {
	series | grep "^$1/"
}

topic_field() {
	patch_header "$2" "$PATCHES/$1/cover"
}

known_topic() {
	[[ -f $PATCHES/$1/cover ]] || die "there is no topic \"$1\" in patches/ ($(topics | xargs))"
}

# all_needs TOPIC…: these topics and those that they need, directly or not, each once
all_needs() {
	local topic
	for topic; do
		printf '%s\n' "$topic"
		# shellcheck disable=SC2046 # words
		all_needs $(topic_field "$topic" Needs)
	done | sort -u
}

# topic_needs TOPIC: the topics that TOPIC needs, in the order of the series
topic_needs() {
	topics | grep -xF -- "$(all_needs "$1")" | grep -vxF -- "$1" || :
}

# check_topics: report errors in the directories of patches/ and their covers
check_topics() {
	local topic need count status=0 before=''
	while IFS= read -r topic; do
		if [[ ! -f $PATCHES/$topic/cover ]]; then
			say "the topic $topic has no cover"
			return 1
		fi
		count=$(topic_patches "$topic" | wc -l)
		if ((count > 15)); then
			say "$topic has $count patches: nobody reviews more than 15"
			status=1
		fi
		[[ $(topic_field "$topic" Tree) =~ ^(can|can-next|6\.12|none)$ && $(topic_field "$topic" Subject) ]] || {
			say "the cover of $topic needs a subject, and one of can, can-next, 6.12 or none as tree"
			status=1
		}
		for need in $(topic_field "$topic" Needs); do
			if ! grep -qxF -- "$need" <<<"$before"; then
				say "$topic needs $need, which does not come before it"
				status=1
			fi
		done
		before+=$topic$'\n'
	done < <(topics)
	if [[ $(topics | sort) != "$(topics | sort -u)" ]]; then
		say "the patches of a topic do not follow each other in patches/series"
		status=1
	fi
	if series | grep -v /; then
		say "these patches are in no topic"
		status=1
	fi
	return $status
}

# begin_topic_tree: check out pristine, sparsely, to commit a topic there
begin_topic_tree() {
	if ! git -C "$TOPIC_TREE" rev-parse -q --verify pristine &>/dev/null; then
		new_topic_tree
	fi
	git -C "$TOPIC_TREE" sparse-checkout set net/can drivers/net/can include/linux/can \
		include/uapi/linux Documentation/networking Documentation/netlink/specs tools/net/ynl \
		tools/testing/selftests/net tools/testing/selftests/kselftest scripts tools/scripts
	# an earlier run may have left changes
	TREE=$TOPIC_TREE tree_git reset -q --hard
	TREE=$TOPIC_TREE tree_git checkout -q -f --detach pristine
	TREE=$TOPIC_TREE tree_git clean -q -fdx
}

new_topic_tree() {
	rm -rf "$TOPIC_TREE"
	tree_git worktree prune
	tree_git worktree add -q --no-checkout --detach "$TOPIC_TREE" pristine
}

has_branch() {
	tree_git rev-parse -q --verify "refs/heads/$1" >/dev/null
}

# commit_to_topic_tree: commit the patches that standard input lists
commit_to_topic_tree() {
	local patch
	while IFS= read -r patch; do
		TREE=$TOPIC_TREE commit_patch "$patch" || return
	done
}

# commit_topic TOPIC: create the branch topics/TOPIC on base/TOPIC, which has what it needs
commit_topic() {
	local need
	begin_topic_tree
	topic_needs "$1" | while IFS= read -r need; do
		topic_patches "$need" | commit_to_topic_tree || return
	done || return
	TREE=$TOPIC_TREE tree_git branch -q -f "base/$1" HEAD
	topic_patches "$1" | commit_to_topic_tree || return
	TREE=$TOPIC_TREE tree_git branch -q -f "topics/$1" HEAD
}

# topic_programs TOPIC: the kselftests of a topic, as lines of kselftest-list.txt
topic_programs() {
	topic_patches "$1" | while IFS= read -r patch; do
		for path in $(patch_header New-files "$PATCHES/$patch"); do
			new_files "$path"
		done
	done | sed -nE 's|^tools/testing/selftests/net/can/(.*\.sh)$|net/can:\1|p;
		s|^tools/testing/selftests/net/can/(.*)\.c$|net/can:\1|p'
}

# Functions of later kernels, the fixes, and the patch with which the registers of an MSCAN can be simulated
baseline_sim_patches() {
	topic_patches 00-backport
	topic_patches 01-fixes
	topic_patches 09-cansim-mscan | grep '/can-mscan-access-registers-'
}

commit_baseline_sim() {
	begin_topic_tree
	baseline_sim_patches | commit_to_topic_tree || return
	TREE=$TOPIC_TREE tree_git branch -q -f baseline-sim HEAD
}

# need_baseline_sim: update the branch baseline-sim, for the simulator with 6.12's modules
need_baseline_sim() {
	local key stamp=$BUILD/topics/baseline-sim
	key="$(tree_git rev-parse pristine) $(baseline_sim_patches | sed 's|^|patches/|' | (mapfile -t files && content_hash "${files[@]}"))"
	stamp_fresh "$stamp" "$key" && has_branch baseline-sim && return
	rm -f "$stamp"
	step "apply what the simulator needs beside the distribution's modules" commit_baseline_sim
	stamp_write "$stamp" "$key"
}

# need_topic TOPIC: update its branch
need_topic() {
	local key stamp=$BUILD/topics/$1
	known_topic "$1"
	need_pristine
	key="$(tree_git rev-parse pristine) $(content_hash patches scripts/lib/tree.sh scripts/lib/topics.sh "${MIRRORED[@]}")"
	stamp_fresh "$stamp" "$key" && has_branch "topics/$1" && return
	rm -f "$stamp"
	step "apply $1 on what it needs" commit_topic "$1"
	stamp_write "$stamp" "$key"
}
