# SPDX-License-Identifier: GPL-2.0-only
"""Draw a Figure as SVG or PNG, with matplotlib.

Drawings are narrow (PAGE_WIDTH), because the page must be readable on a phone. The legend is
below the axes, where it covers no data.
"""

import io
import textwrap

from matplotlib import rc_context
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import (
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from . import figures

TEXT = "#1d2630"
MUTED = "#5a6672"
GRID = "#d9dee3"
PAPER = "#ffffff"
COLOURS = ("#0067a5", "#c84e00", "#00805a", "#9b3f8c", "#8a6a00", "#5e5aa8")
DASHES = ((0, ()), (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))

RC = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.color": TEXT,
    "text.parse_math": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": TEXT,
    "axes.linewidth": 0.7,
    "axes.unicode_minus": True,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": TEXT,
    "ytick.labelcolor": TEXT,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "svg.hashsalt": "canreport",
}

assert len(COLOURS) == figures.COLOURS and len(DASHES) == figures.DASHES

# inches
PAGE_WIDTH = 5.2
PROFILE_HEIGHT = 3.0
BAR_HEIGHT = 0.2
BAR_GAP = 0.14
TEXT_LINE = 0.17
LEFT, RIGHT, TOP, BELOW = 0.8, 0.16, 0.1, 0.48

# Minimum range of repeats to be drawn, as a part of the axis
VISIBLE = 0.005

# Line lengths in characters, with a reserve for wide characters
TITLE_WIDTH = 50
SUBTITLE_WIDTH = 62
LEGEND_WIDTH = 60
HALF_LEGEND_WIDTH = 24
NAME_WIDTH = 20


def wrap(text, width):
    """Wrap the text into lines of at most width characters."""
    return "\n".join(textwrap.wrap(text, width)) or text


def grouped(number):
    """A whole number with groups of thousands."""
    return f"{number:,.0f}".replace(",", "\u00a0")


def _time_tick(unit):
    def text(value, _):
        scaled = round(value / unit, 9)
        plain = f"{scaled:.9f}".rstrip("0").rstrip(".")
        return grouped(scaled) if abs(scaled) >= 1000 and scaled == int(scaled) else plain

    return FuncFormatter(text)


class _Layout:
    """Heights from top to bottom, in inches: title, axes, axis label, legend."""

    def __init__(self, figure, titled, axes_height, left, legend):
        self.title = wrap(figure.title, TITLE_WIDTH) if titled else ""
        self.subtitle = wrap(figure.subtitle, SUBTITLE_WIDTH) if titled else ""
        rows = sum(text.count("\n") + 1 for text in (self.title, self.subtitle) if text)
        self.above = TOP + (rows * TEXT_LINE * 1.1 + 0.1 if rows else 0)
        self.columns = 1 if any(len(name) > HALF_LEGEND_WIDTH for name in legend) else 2
        self.legend = [wrap(name, LEGEND_WIDTH) for name in legend]
        self.height = self.above + axes_height + BELOW + self._legend_height()
        self.axes_height = axes_height
        self.left = left

    def _legend_height(self):
        if not self.legend:
            return 0
        rows = sum(name.count("\n") + 1 for name in self.legend)
        return -(-rows // self.columns) * TEXT_LINE + 0.08

    def canvas(self):
        """Create (canvas, axes) of this layout, with its title."""
        canvas = Canvas(figsize=(PAGE_WIDTH, self.height))
        bottom = self.height - self.above - self.axes_height
        axes = canvas.add_axes(
            (
                self.left / PAGE_WIDTH,
                bottom / self.height,
                (PAGE_WIDTH - self.left - RIGHT) / PAGE_WIDTH,
                self.axes_height / self.height,
            )
        )
        if self.title:
            self._write_title(canvas)
        return canvas, axes

    def _write_title(self, canvas):
        x, y = 0.1 / PAGE_WIDTH, 1 - TOP / self.height
        canvas.text(x, y, self.title, va="top", fontsize=10.5, fontweight="bold")
        below = (self.title.count("\n") + 1) * TEXT_LINE * 1.15
        canvas.text(x, y - below / self.height, self.subtitle, va="top", color=MUTED)

    def write_legend(self, canvas, handles):
        """Draw the legend below the axes."""
        if self.legend:
            canvas.legend(
                handles,
                self.legend,
                loc="upper left",
                bbox_to_anchor=(0.1 / PAGE_WIDTH, self._legend_height() / self.height),
                borderaxespad=0,
                borderpad=0.2,
                labelspacing=0.3,
                handlelength=3.6,
                frameon=False,
                ncols=self.columns,
                columnspacing=2,
            )


def _tidy(axes):
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=3, width=0.7)
    axes.set_axisbelow(True)


def _count_axis(axes, most):
    axes.set_yscale("log")
    axes.set_ylim(0.7, max(most, 2) * 1.4)
    axes.yaxis.set_major_locator(LogLocator(numticks=12))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: grouped(value)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylabel("frames that took at least so long")


def _time_limits(low, high, scale):
    if scale == "log":
        margin = (high / low) ** 0.04 if high > low else 1.5
        return low / margin, high * margin
    margin = (high - low) * 0.04 or max(abs(high) * 0.05, 1)
    return low - margin, high + margin


def _log_ticks(axes, low, high):
    axes.set_xscale("log")
    few = high / low < 200
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=12))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _time_axis(axes, lines, choice):
    low = min(line.series.min_ns for line in lines)
    high = max(line.series.max_ns for line in lines)
    scale = figures.time_scale(lines, choice)
    name, unit = figures.unit_for(max(abs(low), abs(high)))
    limits = _time_limits(low, high, scale)
    if scale == "log":
        _log_ticks(axes, *limits)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=(1, 2, 2.5, 5, 10)))
    axes.set_xlim(*limits)
    axes.xaxis.set_major_formatter(_time_tick(unit))
    axes.set_xlabel(f"latency [{name}]" + (", logarithmic" if scale == "log" else ""))


def _draw_line(axes, line):
    profile = figures.thin(line.series.profile)
    times, counts = figures.steps(profile)
    axes.plot(
        [*times, times[-1]],
        [*counts, 0.1],
        color=COLOURS[line.colour],
        linestyle=DASHES[line.dashes],
        linewidth=1.5,
        solid_joinstyle="miter",
        dash_capstyle="butt",
    )
    axes.plot(times[-1], counts[-1], marker="o", markersize=4, color=COLOURS[line.colour])


def profile_axes(axes, lines, time_axis="auto"):
    """Draw latency profiles on axes. Call it within rc_context(RC)."""
    _tidy(axes)
    axes.grid(which="major")
    _count_axis(axes, max(line.series.count for line in lines))
    _time_axis(axes, lines, time_axis)
    for line in lines:
        _draw_line(axes, line)


def line_handles(lines):
    """Handles of latency profiles for a legend."""
    return [
        Line2D([], [], color=COLOURS[line.colour], linestyle=DASHES[line.dashes], linewidth=1.8)
        for line in lines
    ]


def profile(figure, time_axis="auto", titled=True):
    """Draw the latency profiles of a Figure with lines. Call it within rc_context(RC)."""
    names = [figures.legend_name(line) for line in figure.lines]
    layout = _Layout(figure, titled, PROFILE_HEIGHT, LEFT, names)
    canvas, axes = layout.canvas()
    profile_axes(axes, figure.lines, time_axis)
    layout.write_legend(canvas, line_handles(figure.lines))
    return canvas


def _bar_positions(names, variants):
    """Vertical position of each (name, variant) from the top, and the total height, in inches."""
    step = BAR_HEIGHT * len(variants) + BAR_GAP
    positions = {
        (name, variant): row * step + (column + 0.5) * BAR_HEIGHT + BAR_GAP / 2
        for row, name in enumerate(names)
        for column, variant in enumerate(variants)
    }
    return positions, step * len(names)


def cost_text(ns):
    """A cost with a unit and four significant digits."""
    name, unit = figures.unit_for(ns)
    value = ns / unit
    digits = 3 - (len(str(int(value))) - 1)
    return f"{value:.{max(digits, 0)}f} {name}"


def _draw_bar(axes, bar, position, shade, end):
    axes.barh(position, bar.middle, height=BAR_HEIGHT * 0.84, color=shade, linewidth=0)
    low, high = min(bar.repeats), max(bar.repeats)
    if high - low > end * VISIBLE:
        axes.plot(
            [low, high], [position, position], color=TEXT, linewidth=1.2, solid_capstyle="butt"
        )
    axes.text(
        high + end * 0.012,
        position,
        cost_text(bar.middle),
        va="center",
        fontsize=8,
        bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.8},
    )


def _cost_axis(axes, end):
    name, unit = figures.unit_for(end)
    axes.set_xlim(0, end * 1.2)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 2.5, 5, 10)))
    axes.xaxis.set_major_formatter(_time_tick(unit))
    axes.set_xlabel(f"time per frame [{name}]")
    axes.grid(axis="x")


def cost(figure, titled=True):
    """Draw the costs of a Figure with bars. Call it within rc_context(RC)."""
    names = list(dict.fromkeys(bar.name for bar in figure.bars))
    variants = list(dict.fromkeys(bar.variant for bar in figure.bars))
    labels = [wrap(name, NAME_WIDTH) for name in names]
    widest = max(len(part) for label in labels for part in label.split("\n"))
    positions, height = _bar_positions(names, variants)
    legend = variants if len(variants) > 1 else []
    layout = _Layout(figure, titled, height, 0.25 + widest * 0.083, legend)
    canvas, axes = layout.canvas()
    _tidy(axes)
    end = max(max(bar.repeats) for bar in figure.bars) or 1
    _cost_axis(axes, end)
    for bar in figure.bars:
        shade = COLOURS[variants.index(bar.variant) % len(COLOURS)]
        _draw_bar(axes, bar, positions[bar.name, bar.variant], shade, end)
    step = height / len(names)
    axes.set_yticks([(row + 0.5) * step for row in range(len(names))], labels)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(height, 0)
    axes.tick_params(axis="y", length=0)
    layout.write_legend(
        canvas, [Patch(facecolor=COLOURS[i % len(COLOURS)]) for i in range(len(legend))]
    )
    return canvas


def _canvas(figure, time_axis, titled):
    if figure.lines:
        return profile(figure, time_axis, titled)
    return cost(figure, titled)


def svg(figure, time_axis="auto", titled=True, text_as_paths=True):
    """Draw the figure as SVG. Text as paths is independent of fonts; other text is searchable."""
    settings = {**RC, "svg.fonttype": "path" if text_as_paths else "none"}
    with rc_context(settings):
        out = io.StringIO()
        _canvas(figure, time_axis, titled).savefig(
            out, format="svg", transparent=not titled, metadata={"Date": None, "Creator": None}
        )
        return out.getvalue()


def png(figure, time_axis="auto"):
    """Draw the figure as PNG, with a white background."""
    with rc_context(RC):
        out = io.BytesIO()
        _canvas(figure, time_axis, True).savefig(out, format="png", dpi=200, facecolor=PAPER)
        return out.getvalue()
