#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
set -euo pipefail

for part in common packages tree topics modules kernel vm tools papers; do
	# shellcheck source=/dev/null
	. "$LAB_ROOT/scripts/lib/$part.sh"
done

usage() {
	cat <<-'END'
	usage: ./lab papers [--smoke] [--only ID]… [--seeds N]
	       ./lab papers --browser | --documents

	Repeats the experiments of the papers on simulated controllers, with the drivers of
	Linux 6.12 and with ours, and makes a page of them: build/papers/index.html. It has a
	place for each figure, table and claim of the papers.

	  --smoke    a few frames of one line for each kind of options of an experiment, on
	             the stock kernel only
	  --only ID  only this scenario (scripts/papers/scenarios.toml), or this figure
	  --seeds N  seeds 1 to N (1 to 8, default 8)
	  --browser  measure nothing, but check the page in a headless Chromium: all places
	             are visible, nothing is asked for outside, the console is empty, and
	             nothing is wider than a telephone; pictures are in build/papers/pictures
	  --documents
	             measure nothing, but write the table of verdicts and pictures of README.md to
	             Documentation/can-fastpath, if all results are there

	Each run is kept in build/papers/results under a name that depends on modules, kernel,
	programs, options and seed. What has a result is not measured again, so the command
	goes on where it was interrupted.
	END
}

options=()
smoke=
browser=
documents=
while (($#)); do
	case $1 in
	-h | --help)
		usage
		exit 0
		;;
	--smoke) smoke=yes ;;
	--browser) browser=yes ;;
	--documents) documents=yes ;;
	--only)
		[[ ${2:-} ]] || die "--only needs the name of a scenario or of a figure"
		options+=(--only "$2")
		shift
		;;
	--seeds)
		[[ ${2:-} =~ ^[1-8]$ ]] || die "--seeds is a number from 1 to 8, not \"${2:-}\""
		options+=(--seeds "$2")
		shift
		;;
	*) die "unknown option \"$1\" (see ./lab papers --help)" ;;
	esac
	shift
done
[[ ! $smoke ]] || options+=(--smoke --seeds 1)

if [[ $browser || $documents ]]; then
	[[ ! $smoke && ! ${options[*]} && ! ($browser && $documents) ]] ||
		die "--browser and --documents measure nothing: they have no other options"
	[[ -s $PAPERS/index.html ]] || die "there is no page yet: ./lab papers, or ./lab papers --smoke"
	lock_build
	if [[ $documents ]]; then
		papers_lock
		need_packages python3-matplotlib
		unlock_build
		/usr/bin/python3 "$LAB_ROOT/scripts/papers/documents.py" "$PAPERS" "$LAB_ROOT/Documentation/can-fastpath"
		exit
	fi
	need_packages chromium chromium-driver python3-selenium
	unlock_build
	/usr/bin/python3 "$LAB_ROOT/scripts/papers/browser.py" "$PAPERS/index.html" "$PAPERS/pictures"
	exit
fi

mkdir -p "$PAPERS/results" "$PAPERS/lists"
papers_lock
lock_build
need_basics
need_can_tools
need_packages rt-tests python3-matplotlib
if [[ $smoke ]]; then
	papers_stamps stock
else
	papers_stamps stock rt
fi
unlock_build
status=0
papers_measure "${options[@]}" || status=1
/usr/bin/python3 "$LAB_ROOT/scripts/papers/page.py" "$PAPERS" "$PAPERS/index.html" || status=1
say "papers: $PAPERS/index.html"
exit $status
