#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics export; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab export [--source DIR|TARBALL] DIR

	Writes the series to DIR, in a directory NN-topic for each topic: mails for "git am"
	on a pristine 6.12 tree with new files included, a cover letter, and a file
	"recipients" with the output of get_maintainer.pl. To check the mails, all of them
	are applied in order to a pristine tree, and the result is compared with the patched
	tree.

	  cd linux-6.12.y && git am $(ls DIR/*/*.patch | grep -v /0000-)

	In build/tree, the branch topics/NN-topic has the topic on top of base/NN-topic, which
	has only the topics that it needs:

	  git clone build/tree linux && cd linux
	  git checkout topics/04-filters && b4 prep --enroll origin/base/04-filters

	The patches are not signed off. Before you send them to the kernel, read and
	understand them, and add your Signed-off-by line.

	  --source DIR|TARBALL  pristine source to use instead of the newest
	                        linux-source-6.12 package; if it is a git tree, the cover
	                        letters name the commit
	END
}

target=
while (($#)); do
	case $1 in
	--source)
		[[ -e ${2:-} ]] || die "--source needs a directory or a tarball, not \"${2:-}\""
		LAB_SOURCE=$(readlink -f "$2")
		export LAB_SOURCE
		shift
		;;
	-h | --help)
		usage
		exit 0
		;;
	-*) die "unknown option \"$1\" (see ./lab export --help)" ;;
	*)
		[[ ! $target ]] || die "only one directory can be given: \"$1\""
		target=$1
		;;
	esac
	shift
done
[[ $target ]] || die "where to? (see ./lab export --help)"
if [[ -e $target ]]; then
	[[ -d $target && ! $(ls -A "$target") ]] || die "\"$target\" exists and is not an empty directory"
fi

lock_build
need_basics
need_tree
mkdir -p "$target"
target=$(cd "$target" && pwd)
check_topics || die "the topics are not in order (above)"
step "write the topics" export_topics "$target"
mapfile -t mails < <(exported_mails "$target")
step "apply them to an untouched tree with git am, and compare" prove_export "${mails[@]}"
while IFS= read -r topic; do
	need_topic "$topic"
done < <(exported_topics)
say "nobody has signed off these patches: a person reads, signs and sends them"
printf '%s\n' "$target"/*
