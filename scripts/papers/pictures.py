# SPDX-License-Identifier: GPL-2.0-only
"""Draw the pictures of README.md from the results of the papers' experiments."""

import sys
from dataclasses import dataclass

import drawings
import plan as planning
import results as measured
from drawings import draw
from matplotlib import rc_context


@dataclass(frozen=True)
class Picture:
    """parts: what its canvas gets, (scenario, series, variants) each."""

    name: str
    canvas: callable
    parts: tuple


PICTURES = (
    Picture("bursts", drawings.loss_canvas, (("bursts", ("16, idle", "16, Ethernet"), ("6.12", "patched")),)),
    Picture(
        "filters",
        drawings.profile_and_loss_canvas,
        (
            ("rules-mask", ("identifier 000", "identifier 7FF"), ("6.12", "patched")),
            ("rules-mask-flood", ("identifier 000", "identifier 7FF"), ("6.12", "patched")),
        ),
    ),
    Picture("gateway", drawings.profile_canvas, (("half", ("Ethernet",), ("6.12", "patched", "express", "bare")),)),
)


def part_of(read, scenario, series, variants):
    """The Lines of a part, which have all seeds."""
    lines = [
        line
        for line in measured.lines(*read, scenario)
        if line.series in series and line.variant in variants
    ]
    if any(len(line.seeds) < planning.SEEDS for line in lines):
        sys.exit(f"{scenario} is not measured with all seeds: ./lab papers")
    return lines


def draw_all(build, directory):
    """Draw all pictures, or none if a result is missing."""
    read = measured.read(build)
    parts = {one.name: [part_of(read, *part) for part in one.parts] for one in PICTURES}
    with rc_context({**draw.RC, "svg.fonttype": "path"}):
        for one in PICTURES:
            path = directory / f"papers-{one.name}.svg"
            metadata = {"Date": None, "Creator": None}
            one.canvas(*parts[one.name]).savefig(path, format="svg", facecolor=draw.PAPER, metadata=metadata)
