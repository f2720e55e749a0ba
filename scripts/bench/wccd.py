#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Show the results of the benchmark wccd: frames received per second, and how late the driver
sees a frame.

RUNS has a directory KIND-NUMBER for each run, as scripts/guest/bench writes them.
"""
import argparse
import json
from pathlib import Path

from table import COMPARED, range_of, simple_table

STAMP = "end of frame to time stamp"


def figures_of(result):
    """Return {name: value} of one result: frames/s, or latencies in us."""
    counts = result["counts"]
    if result["label"].endswith("full bus"):
        return {"frames/s sent": counts["frames_per_s"],
                "frames/s received": counts["frames_per_s"] * counts["delivered"] / counts["sent"]}
    stamp = next(series for series in result["series"] if series["name"] == STAMP)
    names = {"least us": "min_ns", "median us": "median_ns", "worst us": "max_ns"}
    return {"lost": counts["lost"], **{name: stamp[key] / 1000 for name, key in names.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("runs", type=Path)
    args = parser.parse_args()
    found = {}
    for kind in COMPARED:
        for path in sorted(args.runs.glob(f"{kind}-*/*.json")):
            result = json.loads(path.read_text())
            for name, value in figures_of(result).items():
                found.setdefault((result["label"], name), {}).setdefault(kind, []).append(value)
    rows = [["case", "figure", *COMPARED.values()]]
    rows += [[label, name, *(range_of(map(round, kinds[kind])) for kind in COMPARED)]
             for (label, name), kinds in found.items()]
    print("\n".join(simple_table(rows)))


if __name__ == "__main__":
    main()
