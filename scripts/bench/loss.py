#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Show the results of the benchmark loss: one table for each controller, and curves.

RUNS has a directory KIND-NUMBER for each run, as scripts/guest/bench writes them. The curves
are written to RUNS/../../NAME.svg.
"""
import argparse
import json
import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from table import COMPARED, range_of, simple_table

LABEL = re.compile(r"(?P<chip>.+), pings (?P<pings>\d+), rate (?P<rate>\d+)")
COLOURS = {"baseline": "tab:red", "patched": "tab:blue"}


def read(runs):
    """Return {(chip, pings, rate): {kind: [(lost, sent, answered) of each run]}}."""
    cases = {}
    for kind in COMPARED:
        for path in sorted(runs.glob(f"{kind}-*/*.json")):
            result = json.loads(path.read_text())
            case = LABEL.fullmatch(result["label"])
            counts = result["counts"]
            key = case["chip"], int(case["pings"]), counts["frames_per_s"]
            # the measured rate of a run differs by a frame or so
            key = (*key[:2], int(case["rate"]) or round(key[2], -1))
            cases.setdefault(key, {}).setdefault(kind, []).append(
                (counts["lost"], counts["sent"], counts.get("load_pings", 0)))
    return cases


def rows_of(cases, chip):
    """Return the rows of the table of a chip: lost frames, and answered pings."""
    rows = [["pings of", "frames/s", "sent", "lost, 6.12", "lost", "pings, 6.12", "pings"]]
    for (name, pings, rate), kinds in cases.items():
        if name != chip:
            continue
        lost = [range_of([run[0] for run in kinds[kind]]) for kind in COMPARED]
        answered = [range_of([run[2] for run in kinds[kind]]) if pings else "" for kind in COMPARED]
        rows.append([f"{pings} bytes" if pings else "no flood", str(rate),
                     str(kinds["patched"][0][1]), *lost, *answered])
    return rows


def draw(cases, path):
    chips = list(dict.fromkeys(key[0] for key in cases))
    sizes = list(dict.fromkeys(key[1] for key in cases))
    figure, axes = plt.subplots(len(chips), len(sizes), squeeze=False, sharex=True, sharey=True,
                                figsize=(3 * len(sizes), 2.2 * len(chips) + 0.6))
    for i, chip in enumerate(chips):
        for j, pings in enumerate(sizes):
            ax = axes[i][j]
            for kind, name in COMPARED.items():
                points = [(key[2], value[kind]) for key, value in cases.items() if key[:2] == (chip, pings)]
                rates = [rate for rate, _ in points]
                parts = [[100 * run[0] / run[1] for run in runs] for _, runs in points]
                ax.plot(rates, [sum(part) / len(part) for part in parts], color=COLOURS[kind], label=name, marker=".")
                ax.fill_between(rates, [min(part) for part in parts], [max(part) for part in parts],
                                color=COLOURS[kind], alpha=0.3, linewidth=0)
            ax.grid(True, linewidth=0.3)
            ax.set_title(f"{chip}, " + (f"pings of {pings}" if pings else "no flood"), fontsize=8)
    axes[0][0].legend(fontsize=8)
    figure.supxlabel("frames per second", fontsize=9)
    figure.supylabel("lost, %", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("runs", type=Path)
    args = parser.parse_args()
    cases = read(args.runs)
    for chip in dict.fromkeys(key[0] for key in cases):
        print(f"\n{chip}\n")
        print("\n".join(simple_table(rows_of(cases, chip))))
    draw(cases, args.runs.parent.parent / f"{args.name}.svg")


if __name__ == "__main__":
    main()
