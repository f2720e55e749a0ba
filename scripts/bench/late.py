#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Show the results of the benchmark late: what the CPU did before late interrupts of the timer.

RUNS has a directory KIND-NUMBER for each run, as scripts/guest/bench writes them, with the blocks
that the plugin has kept (counts) and the addresses of functions (kallsyms).
"""
import argparse
import collections
from pathlib import Path
from profile import name_at, symbols

from table import simple_table

LONGEST = 10
FUNCTIONS = 4


def intervals(run):
    """Yield (instructions, counter of them by function, which is empty if there were too many)."""
    addresses, names = symbols(run / "kallsyms")
    number, counts = None, collections.Counter()
    for line in (run / "counts").read_text().splitlines():
        word, value = line.split()
        if word == "late":
            if number:
                yield number, counts
            number, counts = int(value), collections.Counter()
            continue
        counts[name_at(int(word, 16), addresses, names).strip()] += int(value)
    if number:
        yield number, counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("runs", type=Path)
    args = parser.parse_args()
    for run in sorted(args.runs.glob("patched-*")):
        found = sorted(intervals(run), key=lambda item: -item[0])
        print(f"{run.name}: {len(found)} late interrupts, the longest:\n")
        rows = [["instructions", "most of them in"]]
        for number, counts in found[:LONGEST]:
            most = ", ".join(f"{name} {count}" for name, count in counts.most_common(FUNCTIONS))
            rows.append([str(number), most or "not kept"])
        print("\n".join(simple_table(rows)))


if __name__ == "__main__":
    main()
