# SPDX-License-Identifier: GPL-2.0-only
"""Create the self-contained HTML page from results and drawings.

The page uses no scripts and no external fonts or pictures. Drawings are inline SVG with the colours
of the page, so they follow the light or dark scheme of the browser. All texts from results pass
through html.escape().
"""

import re
from html import escape
from pathlib import Path

from . import draw, figures

STYLE = Path(__file__).with_name("page.css")


def tag(name, content, **attributes):
    """An element; content is HTML. class_ means class, and a_b means a-b."""
    texts = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value
    )
    return f"<{name}{texts}>{content}</{name}>"


def cells(texts, name="td", **attributes):
    """Table cells with escaped texts."""
    return "".join(tag(name, escape(str(text)), **attributes) for text in texts)


def table(head, rows, class_="", caption=""):
    """A table of column names and HTML rows; it scrolls if the page is too narrow."""
    top = tag("caption", escape(caption)) if caption else ""
    top += tag("thead", tag("tr", cells(head, "th", scope="col")))
    body = tag("tbody", "\n".join(tag("tr", row) for row in rows))
    return tag("div", tag("table", top + body, class_=class_), class_="scroll")


def plural(count, noun):
    """A count with its noun in singular or plural."""
    return f"{draw.grouped(count)} {noun}" + ("" if count == 1 else "s")


class Anchors:
    """Unique anchor names for keys."""

    def __init__(self):
        self._names = {}

    def of(self, key):
        """The anchor name of a key."""
        return self._names.setdefault(key, f"g{len(self._names) + 1}")


# Drawings


def colour_variables():
    """Colours of drawings, with their names in the style sheet."""
    named = {draw.TEXT: "text", draw.MUTED: "muted", draw.GRID: "line", draw.PAPER: "paper"}
    named.update((code, f"c{index}") for index, code in enumerate(draw.COLOURS))
    return named


def inline_svg(svg, prefix, label):
    """A drawing as an element, with named colours and unique ids."""
    text = svg[svg.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\b(id="|xlink:href="#|url\(#)', rf"\g<1>{prefix}-", text)
    names = colour_variables()
    codes = re.compile("|".join(names))

    def restyle(match):
        return codes.sub(lambda code: f"var(--{names[code.group()]})", match.group())

    # the ground of a hatch is an attribute, which knows no variables
    text = re.sub(r'\bfill="(#[0-9a-f]+)"', r'style="fill: \g<1>"', text)
    text = re.sub(r'style="[^"]*"', restyle, text)
    return text.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"', 1)


def what(figure):
    """Description of a figure."""
    if figure.lines:
        return "Latency profile: how many frames took at least so long"
    return "Cost per frame: the median of its repeats"


def drawing(figure, number, time_axis):
    """A figure of the page."""
    svg = draw.svg(figure, time_axis, titled=False, text_as_paths=False)
    label = f"{figure.title}. {figure.subtitle}. {what(figure)}."
    caption = tag("figcaption", escape(f"{what(figure)} ({figure.subtitle})."))
    return tag("figure", inline_svg(svg, f"f{number}", label) + caption)


# Tables of a group


def time_unit(series):
    """(name, nanoseconds, decimals) of the unit for the latencies of a table."""
    typical = min(abs(one.median_ns) for one in series)
    name, unit = figures.unit_for(typical)
    if unit == 10**9:
        name, unit = "ms", 10**6
    decimals = 0 if unit == 1 else 1 if typical >= 100 * unit else 2
    return name, unit, decimals


def _time(ns, unit, decimals):
    return f"{ns / unit:,.{decimals}f}".replace(",", "\u00a0")


def swatch(line):
    """A sample of the line in the figure."""
    dashes = " ".join(str(length * 1.6) for length in draw.DASHES[line.dashes][1]) or "none"
    style = f"stroke: var(--c{line.colour}); stroke-width: 2.5; stroke-dasharray: {dashes}"
    path = tag("path", "", d="M0 3H30", style=style)
    return tag("svg", path, class_="swatch", viewBox="0 0 30 6", aria_hidden="true")


def _loss_cell(result, rows):
    if result.lost is None:
        text = "–"
    else:
        text = f"{draw.grouped(result.lost)} ({figures.share(result.lost, result.sent)})"
    return tag(
        "td", escape(text), rowspan=rows if rows > 1 else "", class_="bad" if result.lost else ""
    )


def _latency_rows(lines, unit, decimals):
    for index, line in enumerate(lines):
        series, result = line.series, line.result
        values = (series.min_ns, series.median_ns, series.p99_ns, series.p999_ns, series.max_ns)
        row = tag("th", swatch(line) + escape(line.name), scope="row")
        row += cells([draw.grouped(series.count), *(_time(v, unit, decimals) for v in values)])
        if index == 0 or lines[index - 1].result is not result:
            row += _loss_cell(result, sum(other.result is result for other in lines))
        yield row


def latency_table(figure):
    """Table of minimum, percentiles, maximum and loss of the lines of a figure."""
    name, unit, decimals = time_unit([line.series for line in figure.lines])
    head = ["Series", "Frames", "Min", "Median", "99 %", "99.9 %", "Max", "Lost"]
    rows = _latency_rows(figure.lines, unit, decimals)
    return table(head, rows, "numbers", f"Latency in {name}; loss of the whole run")


def _cost(ns):
    return f"{ns:,.1f}".replace(",", "\u00a0")


def _cost_row(bar):
    low, high = min(bar.repeats), max(bar.repeats)
    texts = [len(bar.repeats), draw.grouped(bar.frames), _cost(low), _cost(bar.middle), _cost(high)]
    return tag("th", escape(bar.name), scope="row") + cells([*texts, f"{100 * bar.spread:.2f} %"])


def cost_table(figure):
    """Table of median and spread of the bars of a figure."""
    head = ["Series", "Repeats", "Frames", "Min", "Median", "Max", "Spread"]
    return table(head, map(_cost_row, figure.bars), "numbers", "Time per frame in ns")


def _ratio(bar, first):
    return (
        f"{_cost(bar.middle)} ({bar.middle / first.middle:.3f})"
        if first and first.middle
        else _cost(bar.middle)
    )


def compared_costs(figure):
    """Table of the medians of all runs of a figure, with their ratios to the first run."""
    names = dict.fromkeys(bar.name for bar in figure.bars)
    variants = dict.fromkeys(bar.variant for bar in figure.bars)
    bars = {(bar.name, bar.variant): bar for bar in figure.bars}
    first = next(iter(variants))
    rows = []
    for name in names:
        base = bars.get((name, first))
        texts = [_cost(base.middle) if base else "–"]
        for variant in list(variants)[1:]:
            bar = bars.get((name, variant))
            texts.append(_ratio(bar, base) if bar else "–")
        rows.append(tag("th", escape(name), scope="row") + cells(texts))
    caption = (
        "Time per frame in ns: median of the repeats, and its ratio to that of the first column"
    )
    return table(["Series", *variants], rows, "numbers compared", caption)


def values(figure):
    """The table of a figure."""
    if figure.lines:
        return latency_table(figure)
    return (
        compared_costs(figure)
        if len({bar.variant for bar in figure.bars}) > 1
        else cost_table(figure)
    )


# Runs and their options


def definitions(pairs):
    """List of names with their values, which wraps at the page width."""
    items = (tag("div", tag("dt", escape(name)) + tag("dd", escape(text))) for name, text in pairs)
    return tag("dl", "".join(items))


def common_options(results):
    """Options with the same value in all runs, as text."""
    varying = figures.varying_options(results)
    names = sorted(
        {name for r in results for name in r.options if name not in varying}, key=figures.natural
    )
    return [(name, figures.option_text(results[0].options[name])) for name in names]


def _counts_text(result):
    return ", ".join(f"{name} {draw.grouped(value)}" for name, value in result.counts.items())


def _run_row(result, options):
    started = result.started.replace("T", " ")
    row = tag("th", escape(Path(result.source).name), scope="row")
    if not result.complete:
        row = row.replace("</th>", tag("p", "cut short", class_="bad") + "</th>")
    texts = [
        figures.option_text(result.options[name]) if name in result.options else "–"
        for name in options
    ]
    return row + cells([result.tool, *texts, started, result.cpus, _counts_text(result) or "–"])


def runs(results):
    """Table of the runs of a group."""
    varying = figures.varying_options(results)
    head = ["File", "Program", *varying, "Started", "CPUs", "Counts"]
    text = table(head, [_run_row(result, varying) for result in results], "runs", "Runs")
    common = common_options(results)
    if common:
        note = "Options" if len(results) == 1 else "Options that all runs share"
        text += tag("h4", note) + definitions(common)
    builds = dict.fromkeys(f"{r.machine}, {r.build}" for r in results)
    return text + tag("p", escape("Kernel: " + "; ".join(builds)), class_="note")


# Index


def _worst(results):
    longest = [series.max_ns for r in results for series in r.latencies if series.count]
    return draw.cost_text(max(longest)) if longest else "–"


def _lost(results):
    lost = figures.loss(results)
    return "–" if lost is None else figures.share(*lost) if lost[1] else draw.grouped(lost[0])


def _measured(results):
    latencies = sum(len(r.latencies) for r in results)
    costs = len({(id(r), cost.name) for r in results for cost in r.costs})
    parts = [f"{latencies} × latency"] if latencies else []
    parts += [f"{costs} × cost"] if costs else []
    return ", ".join(parts) or "nothing"


def _span(groups, index, key):
    """Number of rows that the cell of a group spans; 0 if a row above has the cell."""
    if index and key(groups[index - 1]) == key(groups[index]):
        return 0
    return sum(1 for other in groups if key(other) == key(groups[index]))


def _index_rows(groups, anchors):
    for index, one in enumerate(groups):
        row = ""
        experiment = _span(groups, index, lambda g: g.label)
        kernel = _span(groups, index, lambda g: (g.label, g.kernel))
        if experiment:
            link = tag("a", escape(one.label), href="#" + anchors.of(one.label))
            row += tag("th", link, scope="rowgroup", rowspan=experiment)
        if kernel:
            row += tag("td", escape(one.kernel), rowspan=kernel)
        row += tag("td", tag("a", escape(one.load), href="#" + anchors.of(one.key)))
        lost = any(r.lost for r in one.results)
        row += cells([_worst(one.results)])
        row += tag("td", escape(_lost(one.results)), class_="bad" if lost else "")
        yield row + cells([_measured(one.results)])


def _experiment_links(groups, anchors, rest):
    """An item for each experiment, with links to the groups, named by the attribute rest."""
    for_label = {}
    for one in groups:
        link = tag("a", escape(getattr(one, rest)), href="#" + anchors.of(one.key))
        for_label.setdefault(one.label, []).append(link)
    return "".join(
        tag("li", f"{escape(label)}: {', '.join(links)}") for label, links in for_label.items()
    )


def _other_index(groups, anchors, dimension, rest):
    """Index by kernel or by load, if there are several."""
    by_value = {}
    for one in groups:
        by_value.setdefault(getattr(one, dimension), []).append(one)
    if len(by_value) < 2:
        return ""
    order = figures.load_order if dimension == "load" else figures.natural
    items = ""
    for value in sorted(by_value, key=order):
        items += tag("h4", escape(value)) + tag(
            "ul", _experiment_links(by_value[value], anchors, rest)
        )
    return tag("section", tag("h3", f"By {dimension}") + items)


def index(groups, anchors, compared):
    """The index: by experiment, by kernel, by load."""
    head = ["Experiment", "Kernel", "Load", "Longest", "Lost", "Measured"]
    text = tag("h2", "Index") + table(head, _index_rows(groups, anchors), "index")
    if compared:
        text += tag("p", tag("a", "Experiments compared", href="#" + anchors.of("compared")))
    text += _other_index(groups, anchors, "kernel", "load")
    text += _other_index(groups, anchors, "load", "kernel")
    return tag("nav", text)


# Page


class _Writer:
    def __init__(self, groups, compare, time_axis):
        self.groups = groups
        self.compare = compare
        self.time_axis = time_axis
        self.anchors = Anchors()
        self.count = 0

    def figure(self, figure):
        self.count += 1
        return drawing(figure, self.count, self.time_axis) + values(figure)

    def group(self, one):
        title = tag("h3", escape(f"Kernel {one.kernel}, load {one.load}"))
        drawn = "".join(self.figure(figure) for figure in figures.group_figures(one))
        nothing = tag("p", "Nothing was measured.") if not drawn else ""
        return tag(
            "section", title + drawn + nothing + runs(one.results), id=self.anchors.of(one.key)
        )

    def comparisons(self, groups, dimension):
        text = ""
        for figure in figures.comparisons(groups, dimension):
            heading = figure.subtitle[0].upper() + figure.subtitle[1:]
            text += tag("section", tag("h3", escape(heading)) + self.figure(figure))
        return text

    def experiment(self, label):
        groups = [one for one in self.groups if one.label == label]
        text = tag("h2", escape(label))
        for dimension in ("kernel", "load"):
            if dimension in self.compare:
                text += self.comparisons(groups, dimension)
        text += "".join(self.group(one) for one in groups)
        return tag("article", text, id=self.anchors.of(label))

    def compared(self):
        """Figures that compare experiments; empty if there are none."""
        text = self.comparisons(self.groups, "label") if "label" in self.compare else ""
        heading = tag("h2", "Experiments compared")
        return tag("article", heading + text, id=self.anchors.of("compared")) if text else ""


def summary(groups):
    """Summary of the page, as a sentence."""
    runs_count = sum(len(one.results) for one in groups)
    parts = [plural(len({one.label for one in groups}), "experiment")]
    parts.append(plural(len({one.kernel for one in groups}), "kernel"))
    parts.append(plural(len({one.load for one in groups}), "load"))
    return f"{plural(runs_count, 'run')}: {', '.join(parts)}."


EXPLANATION = (
    "A latency profile shows, for each time, how many frames took at least so long: a line "
    "starts at the shortest latency with all frames and ends, at its dot, at the longest one. The "
    "number of frames is logarithmic, so that single late frames are seen. Percentiles "
    "are latencies that occurred. Lost frames have no latency and are missing in the profile."
)


PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def page(groups, title, compare=("kernel", "load"), time_axis="auto"):
    """Create the page."""
    writer = _Writer(groups, compare, time_axis)
    compared = writer.compared()
    body = "\n".join(
        writer.experiment(label) for label in dict.fromkeys(one.label for one in groups)
    )
    top = tag("h1", escape(title)) + tag("p", escape(summary(groups)))
    top += tag("p", EXPLANATION, class_="note")
    parts = (
        tag("header", top),
        index(groups, writer.anchors, bool(compared)),
        tag("main", compared + body),
    )
    return PAGE.format(
        title=escape(title), style=STYLE.read_text(encoding="utf-8"), body="\n".join(parts)
    )
