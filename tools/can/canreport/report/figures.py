# SPDX-License-Identifier: GPL-2.0-only
"""Arrange results: the series of each figure, their names, and the points of their lines. Pure
functions.
"""

import json
import math
import re
from collections import Counter
from dataclasses import dataclass, field

from .results import Latency, Result

# Maximum number of lines that can be distinguished; more lines are split into several figures.
MAX_LINES = 12

# "auto" selects a logarithmic time axis from this ratio of longest to shortest latency on.
LOG_RATIO = 20

# Lines with more points are thinned; this is more than a screen or a page can show.
MAX_POINTS = 1000

DIMENSIONS = ("label", "kernel", "load")

UNITS = (("ns", 1), ("µs", 10**3), ("ms", 10**6), ("s", 10**9))


# Numbers of colours and dash patterns; their pairs are unique among MAX_LINES lines.
COLOURS = 6
DASHES = 4


@dataclass(frozen=True)
class Line:
    """A series of latencies in a figure; colour and dashes are indices."""

    name: str
    result: Result
    series: Latency
    colour: int
    dashes: int


@dataclass(frozen=True)
class Bar:
    """A cost in a figure: all repeats of one measurement in one run."""

    name: str
    variant: str
    result: Result
    repeats: tuple
    frames: int

    @property
    def middle(self):
        """The median of the repeats."""
        values = sorted(self.repeats)
        half = len(values) // 2
        return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2

    @property
    def spread(self):
        """Range of the repeats, as a share of their median."""
        return (max(self.repeats) - min(self.repeats)) / self.middle if self.middle else 0.0


@dataclass(frozen=True)
class Figure:
    """A figure to draw: lines of latencies, or bars of costs."""

    key: tuple
    title: str
    subtitle: str
    lines: tuple = ()
    bars: tuple = ()


@dataclass
class Group:
    """All results of one experiment on one kernel under one load."""

    label: str
    kernel: str
    load: str
    results: list = field(default_factory=list)

    @property
    def key(self):
        return (self.label, self.kernel, self.load)


def natural(text):
    """Sort key: numbers in a text by their value, ignoring case."""
    parts = re.split(r"([0-9]+)", text.casefold())
    return [(0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p], text


def load_order(load):
    """Sort key of loads: no load comes first."""
    return load != "none", natural(load)


def kernel_names(results):
    """Names of kernels, by (release, machine); with the machine only if there are several."""
    several = len({result.machine for result in results}) > 1
    return {
        (r.kernel, r.machine): f"{r.kernel} ({r.machine})" if several else r.kernel for r in results
    }


def group(results):
    """The results as Groups, in the order of the page: experiment, kernel, load."""
    names = kernel_names(results)
    groups = {}
    for result in results:
        key = (result.label, names[result.kernel, result.machine], result.load)
        groups.setdefault(key, Group(*key)).results.append(result)
    order = sorted(groups, key=lambda k: (natural(k[0]), natural(k[1]), load_order(k[2])))
    return [groups[key] for key in order]


def option_text(value):
    """Value of an option as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, (str, int)) for item in value):
        return ", ".join(option_text(item) for item in value)
    return json.dumps(value, ensure_ascii=False)


def varying_options(results):
    """Names of the options whose values differ between the results."""
    names = sorted({name for result in results for name in result.options}, key=natural)
    return [
        name
        for name in names
        if len({json.dumps(r.options.get(name), sort_keys=True) for r in results}) > 1
    ]


def _best(columns, sofar):
    """The column that, in addition to sofar, distinguishes most rows; None if none helps."""
    best, most = None, len(set(zip(*sofar, strict=True))) if sofar else 1
    for column in columns:
        count = len(set(zip(*sofar, column, strict=True)))
        if count > most:
            best, most = column, count
    return best


def _needed(columns):
    """Remove columns that are not necessary to distinguish the rows."""
    for column in columns:
        others = [other for other in columns if other is not column]
        if others and len(set(zip(*others, strict=True))) == len(set(zip(*columns, strict=True))):
            return _needed(others)
    return columns


def _option_names(results):
    """Names of runs from as few options as necessary, plus a number if options do not suffice."""
    columns = [
        [
            f"{name} {option_text(r.options[name])}" if name in r.options else f"no {name}"
            for r in results
        ]
        for name in varying_options(results)
    ]
    chosen = []
    while (best := _best(columns, chosen)) is not None:
        chosen.append(best)
    chosen = _needed(chosen)
    names = [", ".join(row) for row in zip(*chosen, strict=True)] or [""] * len(results)
    total, seen = Counter(names), Counter()
    for name in names:
        seen[name] += 1
        number = f"run {seen[name]}" if total[name] > 1 else ""
        yield ", ".join(part for part in (name, number) if part)


def tell_apart(items, dimensions=()):
    """Names for the (result, series name) pairs of a figure.

    A name consists of the parts that differ: the given dimensions, the name of the series, and,
    if names are still equal, options of the run.
    """
    kernels = kernel_names([result for result, _ in items])
    facets = {
        "label": [r.label for r, _ in items],
        "kernel": [kernels[r.kernel, r.machine] for r, _ in items],
        "load": [f"load {r.load}" for r, _ in items],
        "series": [name for _, name in items],
    }
    used = [facets[f] for f in (*dimensions, "series") if len(set(facets[f])) > 1]
    rows = list(zip(*used, strict=True)) or [()] * len(items)
    names = [""] * len(items)
    for row in dict.fromkeys(rows):
        alike = [index for index, other in enumerate(rows) if other == row]
        options = _option_names([items[index][0] for index in alike])
        for index, option in zip(alike, options, strict=True):
            names[index] = ", ".join(part for part in (*row, option) if part)
    return [name or series for name, series in zip(names, facets["series"], strict=True)]


def _value(result, dimension):
    return (result.kernel, result.machine) if dimension == "kernel" else getattr(result, dimension)


def _styles(pairs, dimensions):
    """(colour, dashes) of each line.

    If a dimension is compared, each of its values has a colour, and lines with otherwise equal
    options have the same dashes. This does not apply if there are too many of either.
    """
    plain = [(index % COLOURS, index % DASHES) for index in range(len(pairs))]
    values = [tuple(_value(result, d) for d in dimensions) for result, _ in pairs]
    colours = list(dict.fromkeys(values))
    rest = [""] * len(pairs)
    for value in colours:
        mine = [index for index, other in enumerate(values) if other == value]
        names = tell_apart([(pairs[i][0], pairs[i][1].name) for i in mine])
        for index, name in zip(mine, names, strict=True):
            rest[index] = name
    dashes = list(dict.fromkeys(rest))
    if len(colours) < 2 or len(dashes) < 2 or len(colours) > COLOURS or len(dashes) > DASHES:
        return plain
    return [(colours.index(v), dashes.index(r)) for v, r in zip(values, rest, strict=True)]


def lines_of(results, dimensions=()):
    """A Line for each latency series that is not empty."""
    pairs = [(r, s) for r in results for s in r.latencies if s.count]
    if not pairs:
        return []
    names = tell_apart([(r, s.name) for r, s in pairs], dimensions)
    styles = _styles(pairs, dimensions)
    return [
        Line(name, r, s, *style) for name, (r, s), style in zip(names, pairs, styles, strict=True)
    ]


def bars_of(results, dimensions=()):
    """A Bar for each cost of a run, with all repeats."""
    runs = [r for r in results if r.costs]
    variants = tell_apart([(r, "") for r in runs], dimensions) if runs else []
    bars = []
    for run, variant in zip(runs, variants, strict=True):
        for name in dict.fromkeys(cost.name for cost in run.costs):
            costs = [cost for cost in run.costs if cost.name == name]
            repeats = tuple(cost.ns_per_frame for cost in costs)
            bars.append(Bar(name, variant, run, repeats, sum(c.frames for c in costs)))
    return bars


def _parts(lines):
    count = math.ceil(len(lines) / MAX_LINES)
    size = math.ceil(len(lines) / count) if count else 1
    return [lines[i : i + size] for i in range(0, len(lines), size)]


def _figures_of_tool(key, results, title, subtitle, dimensions):
    parts = _parts(lines_of(results, dimensions))
    for number, lines in enumerate(parts, 1):
        part = f", part {number} of {len(parts)}" if len(parts) > 1 else ""
        yield Figure((*key, f"profile{number}"), title, subtitle + part, lines=tuple(lines))
    bars = bars_of(results, dimensions)
    if bars:
        yield Figure((*key, "cost"), title, subtitle, bars=tuple(bars))


def figures_of(results, key, title, subtitle, dimensions=()):
    """The figures of a set of results.

    Each program has its own figures, because results of different programs are not comparable.
    """
    tools = sorted({r.tool for r in results})
    found = []
    for tool in tools:
        named = subtitle if len(tools) == 1 else f"{subtitle}, measured by {tool}"
        mine = [r for r in results if r.tool == tool]
        found += _figures_of_tool((*key, tool), mine, title, named, dimensions)
    return found


def group_figures(one):
    """The figures of one Group."""
    return figures_of(one.results, one.key, one.label, f"kernel {one.kernel}, load {one.load}")


def _compare_key(one, dimension):
    return tuple("" if name == dimension else getattr(one, name) for name in DIMENSIONS)


def _compare_title(key, dimension):
    label, kernel, load = key
    fixed = [f"kernel {kernel}" if kernel else "", f"load {load}" if load else ""]
    subtitle = f"{dimension}s compared: " if label else ""
    return label or "Experiments compared", subtitle + ", ".join(part for part in fixed if part)


def _tools_with_several(members):
    """Programs with results in more than one group."""
    tools = Counter(tool for one in members for tool in {r.tool for r in one.results})
    return {tool for tool, count in tools.items() if count > 1}


def comparisons(groups, dimension):
    """Figures in which only one of the DIMENSIONS varies."""
    sets = {}
    for one in groups:
        sets.setdefault(_compare_key(one, dimension), []).append(one)
    found = []
    for key, members in sets.items():
        tools = _tools_with_several(members)
        results = [r for one in members for r in one.results if r.tool in tools]
        found += figures_of(results, key, *_compare_title(key, dimension), (dimension,))
    return found


def steps(profile):
    """Corners of the line of a latency profile, as lists of times and of frame numbers.

    For each time, the line shows the number of frames with at least this latency, so it is level
    between two points. It begins at the shortest latency with all frames, and ends at the longest
    one with the number of frames that had it.
    """
    times, counts = [], []
    for ns, count in profile:
        if times:
            times.append(times[-1])
            counts.append(count)
        times.append(ns)
        counts.append(count)
    return times, counts


def thin(profile, most=MAX_POINTS):
    """The profile with at most about the given number of points.

    A point is kept if, since the last kept one, the time or the logarithm of the number of frames
    has changed by a visible part of the axis. This keeps all of the few long latencies.
    """
    if len(profile) <= most:
        return profile
    time_step = (profile[-1][0] - profile[0][0]) * 2 / most
    count_step = math.log(profile[0][1]) * 2 / most
    kept = [profile[0]]
    for ns, count in profile[1:-1]:
        far = ns - kept[-1][0] >= time_step
        if far or math.log(kept[-1][1]) - math.log(count) >= count_step:
            kept.append((ns, count))
    kept.append(profile[-1])
    return tuple(kept)


def unit_for(ns):
    """(name, nanoseconds) of the largest unit in which the time is at least 1."""
    fitting = [unit for unit in UNITS if abs(ns) >= unit[1]]
    return fitting[-1] if fitting else UNITS[0]


def time_scale(lines, choice="auto"):
    """ "linear" or "log" for the lines of a figure; "log" requires latencies above 0."""
    low = min(line.series.min_ns for line in lines)
    high = max(line.series.max_ns for line in lines)
    if low <= 0 or choice == "linear":
        return "linear"
    return "log" if choice == "log" or high / low >= LOG_RATIO else "linear"


def loss(results):
    """(lost, sent) of the results that count losses; None if there is none."""
    counting = [r for r in results if r.lost is not None]
    if not counting:
        return None
    return sum(r.lost for r in counting), sum(r.sent for r in counting)


def share(part, whole):
    """A share in percent with two significant digits; 0 % only if part is 0, 100 % only if it is all."""
    if not whole:
        return "–"
    if 0.995 * whole <= part < whole:
        return f"{math.floor(10000 * part / whole) / 100:.2f} %"
    percent = float(f"{100 * part / whole:.1e}")
    if percent == 0 or percent >= 10:
        return f"{percent:.0f} %"
    return f"{percent:.{max(0, 1 - math.floor(math.log10(percent)))}f} %"


def legend_name(line):
    """Name of a line with the number of lost frames, which the profile does not show."""
    result = line.result
    if result.lost and len(result.latencies) == 1:
        return f"{line.name} ({result.lost} of {result.sent} frames lost)"
    return line.name
