#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the page of the papers' experiments from what has been measured.

Each entry of figures.toml has a place, also if it cannot be measured here. The page is one file
without scripts, fonts or pictures of others. Drawings and style are those of canreport(1).
"""

import argparse
import io
import json
import sys
from html import escape
from pathlib import Path

import drawings
import plan as planning
import results as measured
import scale
import verdicts
from drawings import draw, figures
from matplotlib import rc_context
from report import page as base

tag = base.tag

CLASSES = {
    "measurable": "can be measured here",
    "analogy": "only by analogy",
    "same": "the same experiment as another one",
    "not measurable": "not measurable here",
    "drawing": "no data",
}

STYLE = """\
.none { border: 1px solid var(--line); background: var(--head); padding: 0.5rem 1rem; max-width: 46rem; }
.verdict { white-space: nowrap; }
dt { flex: none; }
"""

INTRODUCTION = """\
The experiments of five papers on CAN in Linux, repeated on simulated controllers and a simulated
CPU that counts instructions, with the drivers of Linux 6.12 and with ours. The papers had other
CPUs, controllers and kernels: a statement that does not hold here may hold there. Each experiment
is done with several seeds, which set the phase of the frames against the load, and what is random
in them. Ranges are of these, not of hardware. The simulation of the buses takes a part of the CPU,
which each table names; latencies contain a part of it."""

SCALE = """\
The papers had another CPU, and not all the same kernel. If the first number is taken as the scale,
all others are predictions: where they differ from the papers' numbers, the work has another ratio
here. A range is without and with all timer interrupts of the simulation taken off, of which a part
is in a latency. What it does when a driver accesses a register stays, as such an access takes time
on a board, too."""

# Two boots should not differ by more, in percent
SAME_COST = 0.5


class Page:
    """The page, with what it is made from."""

    def __init__(self, build):
        self.plan, self.found, self.failed = measured.read(build)
        self.places = planning.read("figures.toml")
        self.scenarios = planning.read("scenarios.toml")["scenario"]
        self.claims = planning.read("claims.toml")["claim"]
        self.stamps = json.loads((build / "plan.json").read_text(encoding="utf-8"))["stamps"]
        self.figures = measured.all_figures(self.plan, self.found)
        self.drawings = 0

    # Verdicts

    def verdict_rows(self):
        """A row for each claim and variant."""
        seeds = range(1, planning.SEEDS + 1)
        for claim, variant, word, values in verdicts.judge(self.claims, seeds, self.figures):
            row = ""
            if variant == claim["variants"][0]:
                place = "-".join(claim["id"].split("-")[:2])
                link = tag("a", escape(claim["id"]), href=f"#{place}")
                rows = len(claim["variants"])
                row += tag("th", link, scope="rowgroup", rowspan=rows, id=f"claim-{claim['id']}")
                text = escape(f"{claim['text']} ({claim['cite']})")
                row += tag("td", text, rowspan=rows)
            row += base.cells([variant])
            row += tag("td", escape(word), class_="verdict")
            yield row + base.cells([value_text(claim, values)])

    def verdict_table(self):
        """The table of all verdicts."""
        head = ["Claim", "What the paper says", "Variant", "Verdict", "Value, all seeds"]
        return tag(
            "section",
            tag("h2", "Verdicts") + base.table(head, self.verdict_rows(), "index"),
            id="verdicts",
        )

    # Scale

    def scale(self):
        """The papers' numbers, and ours on the scale of one of them."""
        seeds = range(1, planning.SEEDS + 1)
        factors, compared = scale.compare(planning.read("predictions.toml"), self.figures, seeds)
        head = ["What", "Where", "The paper, us", "Here, us", "Scaled, us"]
        rows = [
            tag("th", escape(one.text), scope="row") + base.cells([one.cite, f"{one.stated:g}", *scaled_texts(one)])
            for one in compared
        ]
        found = " It is not measured yet." if not factors else f" A microsecond here is {range_text(factors, 2)} there."
        text = tag("p", escape(SCALE + found))
        return tag("section", tag("h2", "Scale") + text + base.table(head, rows, "numbers"), id="scale")

    # Figures

    def note(self, scenario, lines):
        """What the lines of a figure are made of."""
        mips = scenario["mips"]
        kernels = sorted({line.first["system"]["kernel"] for line in lines})
        seeds = sorted({seed for line in lines for seed in line.seeds})
        stamp = ", ".join(f"{name}: {text}" for name, text in self.stamps.items())
        priorities = sorted({priorities_of(line.first["options"]) for line in lines})
        return tag(
            "p",
            escape(
                f"{mips} MIPS. Seeds {', '.join(map(str, seeds))}. Kernels {', '.join(kernels)}. "
                f"Real-time priorities: {'; '.join(priorities)}. "
                f"Hashes of modules and programs: {stamp}."
            ),
            class_="note",
        )

    def line_table(self, lines, cost):
        """Numbers of the lines of a scenario; cost: with the difference of two boots."""
        head = ["Variant", "Series", "Frames", "Seeds", "Lost", "Median", "99 %", "99.9 %"]
        head += ["Worst", "Simulator", *(["Boots"] if cost else [])]
        rows = []
        for line in lines:
            texts = [line.series, draw.grouped(line.sent), len(line.seeds)]
            texts.append(f"{line.lost} ({figures.share(line.lost, line.sent)})")
            ordered = line.latencies
            for part in (500, 990, 999, 1000):
                texts.append(f"{measured.rank(ordered, part) / 1000:.1f}" if ordered else "–")
            texts.append(figures.share(line.simulator, line.bus) if line.bus else "–")
            if cost:
                texts.append(boots_text(line.boots))
            rows.append(tag("th", escape(line.variant), scope="row") + base.cells(texts))
        caption = "Latency in us, of all seeds together"
        if cost:
            caption += f". Boots: by how much the medians of boots differ, more than {SAME_COST} % marked with !"
        return base.table(head, rows, "numbers", caption)

    def drawing(self, scenario, lines, title):
        """A latency profile with its caption."""
        self.drawings += 1
        drawn = drawings.profile_lines(lines)
        figure = figures.Figure((scenario["id"],), title, scenario["id"], lines=tuple(drawn))
        svg = draw.svg(figure, "auto", titled=False, text_as_paths=False)
        label = f"{title}: latency profile of {len(drawn)} lines"
        caption = "Latency profile: how many frames took at least so long"
        return tag(
            "figure",
            base.inline_svg(svg, f"f{self.drawings}", label) + tag("figcaption", caption),
        )

    def canvas_drawing(self, draw_canvas, label, caption):
        """What a function draws on a canvas, with a caption."""
        self.drawings += 1
        out = io.StringIO()
        with rc_context({**draw.RC, "svg.fonttype": "none"}):
            metadata = {"Date": None, "Creator": None}
            draw_canvas().savefig(out, format="svg", transparent=True, metadata=metadata)
        svg = base.inline_svg(out.getvalue(), f"f{self.drawings}", label)
        return tag("figure", svg + tag("figcaption", escape(caption)))

    def time_drawing(self, lines, title):
        """Latency over time of the first seed, and the frames that were lost."""
        seeds = sorted({line.seeds[0] for line in lines})
        caption = f"Latency of each frame over time, seed {', '.join(map(str, seeds))}."
        caption += " Lost frames are drawn at the top."
        return self.canvas_drawing(lambda: drawings.time_canvas(lines), f"{title}: latency over time", caption)

    def curve_drawing(self, axis, drawn, title):
        """Latency and loss of series along an axis."""
        caption = "Median of the latency, with 10 and 90 % of the frames, and what was lost."
        return self.canvas_drawing(lambda: drawings.curve_canvas(axis, drawn), f"{title}: curves", caption)

    def loss_drawing(self, lines, title):
        """What was lost, of each line."""
        caption = "Frames lost, all seeds together, with the range of the seeds."
        return self.canvas_drawing(lambda: drawings.loss_canvas(lines), f"{title}: lost frames", caption)

    def scenario(self, scenario, place):
        """Drawings and numbers of a scenario."""
        lines = measured.lines(self.plan, self.found, self.failed, scenario["id"])
        failed = sorted({reason for line in lines for reason in line.failed})
        text = "".join(tag("pre", escape(reason), class_="bad") for reason in failed)
        slow = sum(len(line.slow) for line in lines)
        if slow:
            text += self.nothing(
                f"{slow} runs do not count: the CPU was too slow for the simulation of the buses."
            )
        lines = [line for line in lines if line.seeds]
        if not lines:
            return text + self.nothing("Not measured yet.")
        arrived = [line for line in lines if line.latencies]
        if place["kind"] == "time":
            text += self.time_drawing(lines, place["title"])
        else:
            for part in drawings.parts_of(arrived) if arrived else ():
                text += self.drawing(scenario, part, place["title"])
        drawn = drawings.curves(scenario, lines)
        if drawn and arrived:
            text += self.curve_drawing(scenario["axis"], drawn, place["title"])
        if any(line.lost for line in lines) and not (drawn and arrived):
            text += self.loss_drawing(lines, place["title"])
        return text + self.line_table(lines, scenario.get("cost")) + self.note(scenario, lines)

    @staticmethod
    def nothing(text):
        """A box instead of a drawing."""
        return tag("p", escape(text), class_="none")

    def place(self, place):
        """The place of a figure of the papers."""
        names = ", ".join([place["id"], *place.get("also", [])])
        text = tag("h3", escape(f"{names}: {place['title']}"))
        facts = [("Source", place["source"]), ("Here", CLASSES[place["class"]])]
        if place.get("stated"):
            facts.insert(1, ("The paper says", place["stated"]))
        text += base.definitions(facts)
        for other in place.get("also", []):
            text += tag("span", "", id=other)
        shown = [one for one in self.scenarios if place["id"] in one["figures"]]
        if "same_as" in place:
            link = tag("a", escape(place["same_as"]), href=f"#{place['same_as']}")
            text += tag("p", f"See {link}.", class_="none")
        if "reason" in place:
            text += self.nothing(place["reason"])
        if "instead" in place:
            text += base.definitions([("Instead", place["instead"])])
        for scenario in shown:
            text += self.scenario(scenario, place)
        if not shown and place["class"] in ("measurable", "analogy"):
            text += self.nothing("Not measured yet.")
        return tag("section", text, id=place["id"])

    def variants(self):
        """What is compared."""
        pairs = [(name, one["about"]) for name, one in planning.read("variants.toml").items()]
        return tag("section", tag("h2", "Variants") + base.definitions(pairs), id="variants")

    def contradictions(self):
        """What the papers say differently."""
        items = "".join(
            tag("li", escape(one["text"]) + " " + ", ".join(links(one["ids"])))
            for one in self.places["contradiction"]
        )
        return tag(
            "section",
            tag("h2", "Contradictions in the papers") + tag("ul", items),
            id="contradictions",
        )

    def text(self):
        """The whole page."""
        parts = dict.fromkeys(place["part"] for place in self.places["figure"])
        body = tag("h1", "The papers’ experiments") + tag("p", escape(INTRODUCTION))
        body += self.variants() + self.verdict_table() + self.scale() + self.contradictions()
        for part in parts:
            places = [place for place in self.places["figure"] if place["part"] == part]
            content = "".join(self.place(place) for place in places)
            body += tag("article", tag("h2", escape(part.capitalize())) + content)
        style = base.STYLE.read_text(encoding="utf-8") + STYLE
        return base.PAGE.format(title="The papers’ experiments", style=style, body=body)


def priorities_of(options):
    """Priorities of threads in the options of a result."""
    names = {
        "priority": "reader",
        "irq_priority": "threads of interrupts",
        "napi_priority": "NAPI",
        "rx_priority": "can-rx",
    }
    texts = [f"{name} {options[key]}" for key, name in names.items() if options.get(key)]
    return ", ".join([*texts, "others as the drivers set them"])


def links(ids):
    """Links to places."""
    return [tag("a", escape(one), href=f"#{one}") for one in ids]


def boots_text(boots):
    """By how much boots differ."""
    if boots is None:
        return "–"
    percent, count = boots
    return f"{percent:.2f} % of {count}{' !' if percent > SAME_COST else ''}"


def number_text(value, digits):
    """Rounded, and without the sign of what is rounded to zero."""
    return f"{value:z.{digits}f}"


def range_text(values, digits):
    """The lowest and the highest value, or one if they are alike."""
    low, high = (number_text(value, digits) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def scaled_texts(compared):
    """What is measured, and on the paper's scale."""
    if compared.here is None:
        return "–", "–"
    return number_text(compared.here, 1), range_text(compared.scaled, 0) if compared.scaled else "–"


def value_text(claim, values):
    """Range of the values of all seeds."""
    if not values or None in values:
        return "–"
    sides = [claim["left"], claim.get("right", claim["left"])]
    unit = "" if claim["relation"] == "ratio" else " %" if sides[0]["metric"] == "lost" else " us"
    return range_text(values, 2) + unit


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="directory with plan.json and results")
    parser.add_argument("page", type=Path, help="HTML file")
    args = parser.parse_args()
    made = Page(args.build)
    args.page.write_text(made.text(), encoding="utf-8")
    if made.failed:
        sys.exit(f"{len(made.failed)} runs have failed; the page has the reasons")


if __name__ == "__main__":
    main()
