# SPDX-License-Identifier: GPL-2.0-only
"""Drawings of the papers' experiments, on canvases of matplotlib.

Call what returns a canvas within rc_context(draw.RC). Style and profiles are those of canreport(1).
"""

import sys
from pathlib import Path

import results as measured

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/can/canreport"))

from matplotlib.patches import Patch
from report import draw, figures
from report.results import Latency, Result


def latency_of(line):
    """A series for canreport."""
    ordered = line.latencies
    parts = [measured.rank(ordered, part) for part in (500, 990, 999)]
    return Latency(
        name=line.series,
        count=len(ordered),
        min_ns=ordered[0],
        median_ns=parts[0],
        p99_ns=parts[1],
        p999_ns=parts[2],
        max_ns=ordered[-1],
        mean_ns=sum(ordered) / len(ordered),
        profile=measured.profile_of(ordered),
    )


def result_of(line, series):
    """A result for canreport."""
    first = line.first
    return Result(
        source="",
        tool=first["tool"],
        label=line.series,
        load=first["load"],
        kernel=first["system"]["kernel"],
        build=first["system"]["version"],
        machine=first["system"]["machine"],
        cpus=first["system"]["cpus"],
        started=first["started"],
        complete=True,
        options=first["options"],
        counts={"sent": line.sent, "lost": line.lost},
        latencies=(series,),
        costs=(),
    )


def profile_lines(lines):
    """Lines of a drawing: a colour for each variant, dashes for each series."""
    series = list(dict.fromkeys(line.series for line in lines))
    drawn = []
    for line in lines:
        latency = latency_of(line)
        name = f"{line.variant}, {line.series}"
        # more variants than colours have other dashes
        again, colour = divmod(line.order, figures.COLOURS)
        dashes = series.index(line.series) + again * len(series)
        drawn.append(figures.Line(name, result_of(line, latency), latency, colour, dashes))
    assert len({(line.colour, line.dashes) for line in drawn}) == len(drawn)
    return drawn


def parts_of(lines):
    """Lines of each drawing: so many series that their lines can be distinguished."""
    variants = len({line.variant for line in lines})
    series = list(dict.fromkeys(line.series for line in lines))
    dashes = figures.DASHES // -(-variants // figures.COLOURS)
    size = max(1, min(figures.MAX_LINES // variants, dashes))
    for begin in range(0, len(series), size):
        part = series[begin : begin + size]
        yield [line for line in lines if line.series in part]


def time_canvas(lines):
    """Draw latencies over time, one row for each line."""
    canvas = draw.Canvas(figsize=(draw.PAGE_WIDTH, 1.3 * len(lines) + 0.6))
    axes = canvas.subplots(len(lines), 1, sharex=True, squeeze=False)[:, 0]
    for index, (line, one) in enumerate(zip(lines, axes, strict=True)):
        frames = line.first["frames"]
        highest = max((latency for _, latency in frames if latency is not None), default=1) / 1e6
        seen = [(end / 1e6, latency / 1e6) for end, latency in frames if latency is not None]
        lost = [end / 1e6 for end, latency in frames if latency is None]
        colour = draw.COLOURS[index % len(draw.COLOURS)]
        one.plot([end for end, _ in seen], [ms for _, ms in seen], ".", markersize=2, color=colour)
        one.plot(lost, [highest * 1.15] * len(lost), "|", markersize=4, color=draw.TEXT)
        one.set_title(f"{line.variant}, {line.series}", fontsize=8, loc="left")
        one.set_ylim(0, highest * 1.25)
        one.set_ylabel("ms")
    axes[-1].set_xlabel("time of the frame [ms]")
    canvas.set_layout_engine("constrained")
    return canvas


def curves(scenario, lines):
    """[(place on the axis, line)] of each curve, by (variant, kind of curve)."""
    found = {}
    for line in lines:
        series = next(one for one in scenario["series"] if one["name"] == line.series)
        if "at" in series:
            points = found.setdefault((line.variant, series.get("curve", "")), [])
            points.append((series["at"], line))
    for points in found.values():
        points.sort(key=lambda point: point[0])
    return found


def curve_canvas(axis, drawn):
    """Draw curves: above latencies, below what was lost."""
    canvas = draw.Canvas(figsize=(draw.PAGE_WIDTH, 4.2))
    above, below = canvas.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    kinds = list(dict.fromkeys(kind for _, kind in drawn))
    for (variant, kind), points in drawn.items():
        style = {
            "label": f"{variant}, {kind}" if kind else variant,
            "color": draw.COLOURS[points[0][1].order % len(draw.COLOURS)],
            "linestyle": draw.DASHES[kinds.index(kind) % len(draw.DASHES)],
            "marker": "o",
            "markersize": 3,
        }
        seen = [(at, line) for at, line in points if line.latencies]
        low, middle, high = (
            [measured.rank(line.latencies, part) / 1000 for _, line in seen] for part in (100, 500, 900)
        )
        whiskers = [
            [one - least for one, least in zip(middle, low, strict=True)],
            [most - one for one, most in zip(middle, high, strict=True)],
        ]
        above.errorbar([at for at, _ in seen], middle, yerr=whiskers, capsize=3, **style)
        lost = [100 * line.lost / line.sent for _, line in points]
        below.plot([at for at, _ in points], lost, **style)
    above.set_ylabel("latency [us]")
    above.set_ylim(bottom=0)
    above.legend(fontsize=8)
    below.set_ylabel("lost [%]")
    below.set_ylim(bottom=0)
    below.set_xlabel(axis)
    canvas.set_layout_engine("constrained")
    return canvas


def bar_style(order):
    """Style of the bars of a variant: more variants than colours have other hatches."""
    again, colour = divmod(order, len(draw.COLOURS))
    hatch = "///" if again else None
    return {"facecolor": draw.COLOURS[colour], "hatch": hatch, "edgecolor": draw.PAPER, "linewidth": 0}


def loss_axes(axes, lines):
    """Draw bars of what was lost, with the range of the seeds: a row for each series."""
    variants = list(dict.fromkeys(line.variant for line in lines))
    series = list(dict.fromkeys(line.series for line in lines))
    thick = 0.8 / len(variants)
    for line in lines:
        at = series.index(line.series) + (variants.index(line.variant) - (len(variants) - 1) / 2) * thick
        axes.barh(at, 100 * line.lost / line.sent, 0.85 * thick, **bar_style(line.order))
        low, high = min(line.shares), max(line.shares)
        axes.plot([low, high], [at, at], color=draw.TEXT, linewidth=1, solid_capstyle="butt")
        text = figures.share(line.lost, line.sent)
        axes.annotate(text, (high, at), (3, 0), textcoords="offset points", va="center", fontsize=7)
    axes.set_yticks(range(len(series)), series)
    axes.set_ylim(len(series) - 0.5, -0.5)
    axes.set_xlim(0, max(max(line.shares) for line in lines) * 1.15 or 1)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("lost [%]")


def variant_handles(lines):
    """Handles of a legend, one for each variant."""
    orders = {line.variant: line.order for line in lines}
    return [Patch(label=name, **bar_style(order)) for name, order in orders.items()]


def legend_above(axes, lines):
    """A legend of the variants."""
    axes.legend(
        handles=variant_handles(lines), loc="lower left", bbox_to_anchor=(-0.1, 1.0), borderaxespad=0,
        ncols=4, fontsize=8, frameon=False, handlelength=1.2,
    )


def loss_height(lines):
    """Height of the bars in inches."""
    return 0.3 + 0.17 * len(lines) + 0.1 * len({line.series for line in lines})


def loss_canvas(lines, title=""):
    """Draw bars of what was lost."""
    canvas = draw.Canvas(figsize=(draw.PAGE_WIDTH, 0.7 + bool(title) * 0.3 + loss_height(lines)))
    axes = canvas.subplots()
    loss_axes(axes, lines)
    legend_above(axes, lines)
    write_title(axes, title, 22)
    canvas.set_layout_engine("constrained")
    return canvas


def write_title(axes, title, pad):
    """A title above the axes, if it is not empty."""
    if title:
        axes.set_title(title, fontsize=9, loc="left", pad=pad)


def columns_of(names):
    """Columns of a legend: two if there is room."""
    return 1 if any(len(name) > 26 for name in names) else 2


def profile_height(drawn):
    """Height of latency profiles with their legend, in inches."""
    rows = len(drawn) // columns_of([figures.legend_name(line) for line in drawn])
    return draw.PROFILE_HEIGHT + 0.7 + 0.18 * rows


def profile_with_legend(axes, drawn, title):
    """Draw latency profiles, with their names below."""
    write_title(axes, title, 6)
    draw.profile_axes(axes, drawn)
    names = [figures.legend_name(line) for line in drawn]
    axes.legend(
        handles=draw.line_handles(drawn), labels=names, ncols=columns_of(names),
        loc="upper center", bbox_to_anchor=(0.5, -0.18), fontsize=8, frameon=False, handlelength=3.6,
    )


def profile_and_loss_canvas(lines, title, with_loss, title_below):
    """Draw the latency profiles of some lines, and below what others have lost."""
    drawn = profile_lines(lines)
    height = loss_height(with_loss)
    canvas = draw.Canvas(figsize=(draw.PAGE_WIDTH, profile_height(drawn) + height + 0.9))
    above, below = canvas.subplots(2, 1, height_ratios=[draw.PROFILE_HEIGHT, height])
    profile_with_legend(above, drawn, title)
    loss_axes(below, with_loss)
    legend_above(below, with_loss)
    write_title(below, title_below, 22)
    canvas.set_layout_engine("constrained")
    return canvas


def profile_canvas(lines, title):
    """Draw the latency profiles of some lines."""
    drawn = profile_lines(lines)
    canvas = draw.Canvas(figsize=(draw.PAGE_WIDTH, profile_height(drawn)))
    axes = canvas.subplots()
    profile_with_legend(axes, drawn, title)
    canvas.set_layout_engine("constrained")
    return canvas
