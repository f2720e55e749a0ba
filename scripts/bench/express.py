#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Show the results of the benchmark express: latency and loss of each way through the gateway.

RUNS has a directory KIND-NUMBER for each run, as scripts/guest/bench writes them. The latency
profiles of single frames are drawn in RUNS/profiles, by canreport.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from table import range_of, simple_table

BASELINE = "6.12"
CANREPORT = Path(__file__).parents[2] / "tools/can/canreport/canreport"
WAYS = [BASELINE, "ordinary", "ordinary at 85", "express", "express of 2048", "bare"]


def load(runs):
    """Return {(controllers, traffic, load): {way: [result]}}."""
    found = {}
    for path in sorted(runs.glob("*-*/*.json")):
        result = json.loads(path.read_text())
        *case, way = result["label"].split(", ")
        if path.parent.name.startswith("baseline-"):
            way = BASELINE
        found.setdefault(tuple(case), {}).setdefault(way, []).append(result)
    return found


def latency(results, key):
    """Return microseconds, or a range of them."""
    values = [series[key] / 1000 for result in results for series in result["series"] if series["count"]]
    return range_of(map(round, values)) if values else ""


def lost(results):
    """Return the lost frames, with a mark if the CPU was too slow for the simulation."""
    skipped = any(result["counts"]["skipped_ns"] for result in results)
    return range_of([result["counts"]["lost"] for result in results]) + ("*" if skipped else "")


def draw(case, ways, output):
    """Draw the latencies of the first run of each way, with the ways as labels."""
    with tempfile.TemporaryDirectory() as directory:
        files = []
        for way, results in ways.items():
            files.append(Path(directory) / f"{len(files)}.json")
            files[-1].write_text(json.dumps({**results[0], "label": way}))
        subprocess.run([sys.executable, CANREPORT, "--compare", "label", "--title", ", ".join(case),
                        "--output", output, *files], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("runs", type=Path)
    args = parser.parse_args()
    found = load(args.runs)
    print("Single frames: median / worst us (lost frames)\n")
    rows = [["controllers, load", *WAYS]]
    for (controllers, traffic, background), ways in found.items():
        if traffic == "single":
            rows.append([f"{controllers}, {background}", *(
                f"{latency(ways[way], 'median_ns')} / {latency(ways[way], 'max_ns')} ({lost(ways[way])})"
                if way in ways else "" for way in WAYS)])
    print("\n".join(simple_table(rows)))
    profiles = args.runs / "profiles"
    profiles.mkdir(exist_ok=True)
    for case, ways in found.items():
        if case[1] == "single":
            draw(case, ways, profiles / f"{'-'.join(case).replace(' ', '-')}.html")
    print(f"\nLatency profiles: {profiles}")
    print("\nA full bus, and 49 % of both buses: lost frames (*: not valid, the CPU was too slow for the simulation)\n")
    rows = [["controllers, traffic, load", "frames", *WAYS]]
    for case, ways in found.items():
        if case[1] != "single":
            sent = {result["counts"]["sent"] for results in ways.values() for result in results}
            rows.append([", ".join(case), range_of(sorted(sent)), *(lost(ways[way]) if way in ways else "" for way in WAYS)])
    print("\n".join(simple_table(rows)))


if __name__ == "__main__":
    main()
