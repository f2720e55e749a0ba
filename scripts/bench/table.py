#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the table and the JSON file of one benchmark from its runs.

RUNS has a directory KIND-NUMBER for each run (baseline-1, patched-1, …, or native-1 for a
run on the host), as scripts/guest/bench writes them.
"""
import argparse
import json
import sys
from pathlib import Path

# A figure is unusable if its repeats differ by more than this part of the smallest.
USABLE = 0.005

KINDS = ("baseline", "patched", "native")

# The two that tables compare, with their names there
COMPARED = {"baseline": "6.12", "patched": "patched"}


def chance_figures(result, scale, unit):
    """Yield (name, value, unit) of a result that depends on when frames arrive:

    lost frames, and latencies of the others.
    """
    label, counts = result["label"], result["counts"]
    if result["options"].get("rate_search"):
        yield f"{label}, highest rate", counts["frames_per_s"] if counts["found"] else 0, "frames/s"
        return
    yield f"{label}, lost", counts["lost"], f"of {counts['sent']} frames"
    if result["options"].get("busy_poll_us"):
        yield f"{label}, interrupts", counts["interrupts"], f"for {counts['sent']} frames"
    if "load_pings" in counts:
        yield f"{label}, pings", counts["load_pings"], "answered"
    simulator = counts["simulator_ns"] + counts.get("out_simulator_ns", 0)
    yield f"{label}, simulator", simulator / counts["sent"] / scale, f"{unit}/frame"
    quiet = (("median", "median_ns"),) if result["load"] == "none" else ()
    for series in result["series"]:
        if series["count"]:
            for name, key in (*quiet, ("99 %", "p99_ns"), ("worst", "max_ns")):
                yield f"{label}, {name}", series[key] / scale, unit


def figures_of_result(result, scale, unit):
    """Yield (name, value, unit) of every series that a program printed."""
    label = result["label"]
    names = {series["name"] for series in result["series"]}
    for series in result["series"]:
        name = label if len(names) == 1 else f"{label}, {series['name']}"
        if series["kind"] == "cost":
            yield name, series["ns_per_frame"] / scale, unit
        else:
            # the tail of a latency depends on timer interrupts: it is not a cost
            yield name, series["median_ns"] / scale, unit


def read_run(folder, scale, unit):
    """Return {figure: (value, unit, by_chance)} of one run, in the order of measurement."""
    figures, units, by_chance = {}, {}, {}
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_text())
        chance = result["tool"] == "canbench-load"
        read = chance_figures if chance else figures_of_result
        for name, value, own_unit in read(result, scale, unit):
            figures.setdefault(name, []).append(value)
            units[name], by_chance[name] = own_unit, chance
    # if a figure was measured several times in a run, the best one has no timer interrupt
    merged = {name: (min(values), units[name], by_chance[name]) for name, values in figures.items()}
    extra = folder / "figures"
    if extra.exists():
        for line in extra.read_text().splitlines():
            name, value, own_unit = line.split("\t")
            # timestamps of kernel events are in microseconds: the last digit is chance, and
            # so is whether an interrupt comes before a poll
            chance = own_unit == "us" or own_unit.startswith("for ")
            merged[name] = (float(value), own_unit, chance)
    differences = folder / "differences"
    if differences.exists():
        for line in differences.read_text().splitlines():
            name, more, less = line.split("\t")
            # It has the errors of both, which are judged by themselves: 0.1 % of 13,000
            # instructions are 0.5 % of a difference of 2,600.
            merged[name] = (merged[more][0] - merged[less][0], unit, True)
    return merged


def read_runs(runs, scale, unit):
    """Return {kind: [figures of each run]}."""
    found = {}
    for kind in KINDS:
        folders = sorted(runs.glob(f"{kind}-*"))
        if folders:
            found[kind] = [read_run(folder, scale, unit) for folder in folders]
    return found


def usable(values):
    """Return whether the repeats of a figure agree."""
    low, high = min(values), max(values)
    return high - low <= USABLE * low or high == low


def combine(found):
    """Return one row per figure: name, unit, and the repeats of each kind."""
    rows = []
    kinds = list(found)
    for name, (_, unit, by_chance) in found[kinds[-1]][0].items():
        repeats = {}
        for kind in kinds:
            if not all(name in run for run in found[kind]):
                raise SystemExit(f"not every {kind} run has the figure \"{name}\"")
            repeats[kind] = [run[name][0] for run in found[kind]]
        rows.append({"name": name, "unit": unit, "by_chance": by_chance, "repeats": repeats})
    for kind in kinds:
        for run in found[kind]:
            for name in run:
                if name not in {row["name"] for row in rows}:
                    raise SystemExit(f"only the {kind} run has the figure \"{name}\"")
    return rows


def finish(row):
    """Add the average of each kind whose repeats agree, and the ratio."""
    row["average"] = {
        kind: sum(values) / len(values) if usable(values) else None
        for kind, values in row["repeats"].items()
    }
    baseline, patched = row["average"].get("baseline"), row["average"].get("patched")
    row["ratio"] = patched / baseline if baseline and patched is not None else None
    return row


def number(value):
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"


def cell(row, kind):
    if row["average"][kind] is not None:
        return number(row["average"][kind])
    values = row["repeats"][kind]
    spread = f"{number(min(values))} to {number(max(values))}"
    return spread if row["by_chance"] else f"unusable: {spread}"


def table(name, rows, kinds):
    """Return the rows of the table, as lists of cells; the first one is its head."""
    ratio = "baseline" in kinds and "patched" in kinds
    lines = [[name, *kinds] + (["ratio"] if ratio else []) + ["unit"]]
    for row in rows:
        cells = [row["name"], *(cell(row, kind) for kind in kinds)]
        if ratio:
            cells.append("" if row["ratio"] is None else f"{row['ratio']:.3f}")
        lines.append([*cells, row["unit"]])
    return lines


def markdown(cells):
    """Return the lines of a table in Markdown."""
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return [lines[0], "|---|" + "---:|" * (len(cells[0]) - 2) + "---|", *lines[1:]]


def range_of(values):
    """Return "5", or "5 to 7"."""
    values = sorted(values)
    low, high = values[0], values[-1]
    return str(low) if low == high else f"{low} to {high}"


def simple_table(cells):
    """Return the lines of a simple table in reStructuredText."""
    widths = [max(map(len, column)) for column in zip(*cells)]
    bar = "  ".join("=" * width for width in widths)
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in cells]
    return [bar, lines[0], bar, *lines[1:], bar]


def put_into(document, name, lines):
    """Replace the text between the two marks of the benchmark."""
    begin, end = f".. bench {name}\n", f".. end of bench {name}\n"
    text = document.read_text()
    try:
        before, rest = text.split(begin)
        _, after = rest.split(end)
    except ValueError:
        raise SystemExit(f"{document.name} wants one pair of lines {begin.strip()} and {end.strip()}") from None
    document.write_text(before + begin + "\n".join(["", *lines, "", ""]) + end + after)


def modules(runs, kind):
    """Return {module file: start of its SHA-256} of the first run of a kind."""
    text = (runs / f"{kind}-1" / "modules").read_text()
    return {path: digest for digest, path in map(str.split, text.splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--icount", type=int, help="the clock of the virtual machine advanced 2^N ns per instruction")
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--most", type=float, help="the highest accepted ratio of patched to baseline")
    parser.add_argument("--chance", action="append", default=[], metavar="FIGURE",
                        help="it depends on a random number of the kernel; show its range")
    parser.add_argument("--into", type=Path, help="replace the table in this document")
    parser.add_argument("name")
    parser.add_argument("runs", type=Path)
    args = parser.parse_args()

    counted = args.icount is not None
    scale, unit = (2 ** args.icount, "instructions") if counted else (1, "ns")
    found = read_runs(args.runs, scale, unit)
    rows = [finish(row) for row in combine(found)]
    for row in rows:
        row["by_chance"] = row["by_chance"] or row["name"] in args.chance
    if not rows:
        raise SystemExit(f"the benchmark {args.name} measured nothing")
    kinds = list(found)
    args.json.write_text(json.dumps({
        "benchmark": args.name,
        "kernel": (args.runs / f"{kinds[0]}-1" / "kernel").read_text().strip(),
        "modules": {kind: modules(args.runs, kind) for kind in kinds},
        "options": {"icount": args.icount, "repeats": len(found[kinds[0]]), "usable": USABLE},
        "figures": rows,
    }, indent=1) + "\n")

    cells = table(args.name, rows, kinds)
    print("\n".join(markdown(cells)))
    if args.into:
        put_into(args.into, args.name, simple_table(cells))
    bad = [row["name"] for row in rows
           if None in row["average"].values() and not row["by_chance"]]
    for name in bad:
        print(f"lab: unusable, its repeats differ by more than {USABLE:.1%}: {name}", file=sys.stderr)
    dear = [row for row in rows if args.most and row["ratio"] and row["ratio"] > args.most]
    for row in dear:
        print(f"lab: more than {args.most:.2f} times the baseline: {row['name']}: {row['ratio']:.3f}", file=sys.stderr)
    return 1 if bad or dear else 0


if __name__ == "__main__":
    sys.exit(main())
