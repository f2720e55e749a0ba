# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of README.md from the results of the papers' experiments."""

import io
from dataclasses import dataclass

import drawings
import results as measured
from drawings import draw
from matplotlib import rc_context


@dataclass(frozen=True)
class Part:
    """Lines of a picture, and their title."""

    title: str
    scenario: str
    series: tuple
    variants: tuple


@dataclass(frozen=True)
class Picture:
    """canvas is called with the Lines and the title of each part."""

    name: str
    canvas: callable
    parts: tuple


BOTH = ("6.12", "patched")

PICTURES = (
    Picture(
        "bursts",
        drawings.loss_canvas,
        (Part("Bursts of 16 frames into an MSCAN", "bursts", ("16, idle", "16, Ethernet"), BOTH),),
    ),
    Picture(
        "filters",
        drawings.profile_and_loss_canvas,
        (
            Part("2048 masks, one frame at a time", "rules-mask", ("identifier 000", "identifier 7FF"), BOTH),
            Part("2048 masks, a full bus", "rules-mask-flood", ("identifier 000", "identifier 7FF"), BOTH),
        ),
    ),
    Picture(
        "gateway",
        drawings.profile_canvas,
        (Part("Gateway, half of a full bus, under pings", "half", ("Ethernet",), (*BOTH, "express", "bare")),),
    ),
)


def part_of(read, part):
    """The Lines of a part, in its order."""
    lines = {(line.series, line.variant): line for line in measured.lines(*read, part.scenario)}
    return [lines[series, variant] for series in part.series for variant in part.variants]


def picture(read, one):
    """A picture as SVG."""
    arguments = [argument for part in one.parts for argument in (part_of(read, part), part.title)]
    out = io.StringIO()
    with rc_context({**draw.RC, "svg.fonttype": "path"}):
        metadata = {"Date": None, "Creator": None}
        one.canvas(*arguments).savefig(out, format="svg", facecolor=draw.PAPER, metadata=metadata)
    return out.getvalue()
