#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write the documents that have results of the papers' experiments: the table of verdicts, and the
pictures of README.md."""

import argparse
import csv
import io
import sys
from pathlib import Path

import page
import pictures
import plan as planning
import results as measured
import scale
import verdicts

TEXT = """\
.. SPDX-License-Identifier: GPL-2.0-only
.. ``./lab papers --documents`` writes this file.

=============================
What holds here of the papers
=============================

:doc:`papers` explains the experiments. A statement *holds here* if all eight seeds satisfy it with its
margin, it *does not hold here* if all eight violate it, and everything else is *undecided*. The papers
had other CPUs and kernels. The variants are

{variants}
{verdicts}
Numbers on one scale
====================

{about_scale} In microseconds:

{scale}
{boots}

Modules and programs: {stamps}.
"""

BOOTS = """\
Where latencies depend only on the work that a frame causes, the medians of two boots differ by at most
{most:.2f} %, with other seeds in each."""


def table(head, rows, widths):
    """A csv-table."""
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([head, *rows])
    text = "".join(f"   {line}\n" for line in out.getvalue().splitlines())
    return f".. csv-table::\n   :header-rows: 1\n   :widths: {widths}\n\n{text}"


def claim_rows(judged):
    """Rows of the table of verdicts: what is said, once for each claim."""
    last = None
    for claim, variant, word, values in judged:
        text = "" if claim["id"] == last else f"{claim['id']}: {claim['text']} ({claim['cite']})"
        yield text, variant, word, page.value_text(claim, values)
        last = claim["id"]


def boots_paragraph(read):
    """By how much two boots differ at most."""
    costs = [one["id"] for one in planning.read("scenarios.toml")["scenario"] if one.get("cost")]
    lines = [line for scenario in costs for line in measured.lines(*read, scenario)]
    if any(line.boots is None for line in lines):
        sys.exit("some costs are measured in one boot only: ./lab papers with eight seeds")
    return BOOTS.format(most=max(line.boots[0] for line in lines))


def document(read, stamps):
    """The table of verdicts."""
    figures = measured.all_figures(*read[:2])
    seeds = range(1, planning.SEEDS + 1)
    judged = verdicts.judge(planning.read("claims.toml")["claim"], seeds, figures)
    _, compared = scale.compare(planning.read("predictions.toml"), figures, seeds)
    variants = planning.read("variants.toml").items()
    numbers = [(one.text, one.cite, f"{one.stated:g}", *page.scaled_texts(one)) for one in compared]
    return TEXT.format(
        about_scale=page.SCALE,
        variants="".join(f"* {name}: {one['about']}\n" for name, one in variants),
        verdicts=table(("The paper says", "Variant", "Verdict", "Value, all seeds"), claim_rows(judged), "55 15 15 15"),
        scale=table(("What", "Where", "The paper", "Here", "Scaled"), numbers, "40 30 10 10 10"),
        boots=boots_paragraph(read),
        stamps=", ".join(f"{name} {text}" for name, text in stamps.items()),
    )


def whole(build):
    """Results of all runs, with the modules and programs that were measured last; as of results.read()."""
    if "rt" not in planning.stamps(build):
        sys.exit("only the stock kernel was measured: ./lab papers")
    read = measured.read_runs(build, [run.__dict__ for part in planning.runs(build).values() for run in part])
    plan, found, failed = read
    keys = {run["key"] for run in plan}
    missing = keys - set(found) - set(failed)
    slow = [key for key in found if not measured.valid(found[key])]
    if missing or failed or slow:
        sys.exit(
            f"of {len(keys)} runs, {len(missing)} are not measured and {len(failed)} have failed (./lab papers); "
            f"the CPU was too slow for {len(slow)}, of which nothing can be said: {', '.join(slow)}"
        )
    return read


def write_all(build, directory):
    """Write all documents, or none."""
    read = whole(build)
    texts = {"verdicts.rst": document(read, planning.stamps(build))}
    texts |= {f"papers-{one.name}.svg": pictures.picture(read, one) for one in pictures.PICTURES}
    for name, text in texts.items():
        (directory / f"{name}.part").write_text(text, encoding="utf-8")
    for name in texts:
        (directory / f"{name}.part").rename(directory / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="directory with stamps.json and results")
    parser.add_argument("directory", type=Path, help="directory of the documents")
    args = parser.parse_args()
    write_all(args.build, args.directory)


if __name__ == "__main__":
    main()
