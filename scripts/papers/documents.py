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
had other CPUs and kernels. Variants are {variants}.

{verdicts}
Numbers on one scale
====================

The papers' CPU was another one. If the first number is taken as the scale, all others are predictions.
A range is without and with the whole simulation of the buses taken off, of which a part is in a
latency. In microseconds:

{scale}
Modules and programs: {stamps}.
"""


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


def document(build):
    """The text of the table of verdicts."""
    figures = measured.all_figures(*measured.read(build)[:2])
    seeds = range(1, planning.SEEDS + 1)
    judged = verdicts.judge(planning.read("claims.toml")["claim"], seeds, figures)
    _, compared = scale.compare(planning.read("predictions.toml"), figures, seeds)
    unmeasured = sorted({claim["id"] for claim, _, word, _ in judged if word == verdicts.UNMEASURED})
    if unmeasured:
        sys.exit(f"not measured: {', '.join(unmeasured)}: ./lab papers")
    variants = planning.read("variants.toml").items()
    numbers = [(one.text, one.cite, f"{one.stated:g}", *page.scaled_texts(one)) for one in compared]
    stamps = [f"{name} {text}" for name, text in planning.stamps(build).items()]
    return TEXT.format(
        variants="; ".join(f"{name}: {one['about']}" for name, one in variants),
        verdicts=table(("The paper says", "Variant", "Verdict", "Value, all seeds"), claim_rows(judged), "55 15 15 15"),
        scale=table(("What", "Where", "The paper", "Here", "Scaled"), numbers, "40 30 10 10 10"),
        stamps=", ".join(stamps),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="directory with plan.json and results")
    parser.add_argument("directory", type=Path, help="directory of the documents")
    args = parser.parse_args()
    text = document(args.build)
    pictures.draw_all(args.build, args.directory)
    (args.directory / "verdicts.rst").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
