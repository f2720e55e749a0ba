# SPDX-License-Identifier: GPL-2.0-only
"""Compare numbers of the papers with ours on one scale (predictions.toml). Pure functions.

Our latencies contain a part of what the simulation of the buses does in timer interrupts: the rest
comes after the frame has begun on the second bus. So each scaled number is a range, without and with
all of it taken off. What the simulation does in accesses to registers stays: it stands for the time
that they take on a board.
"""

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Compared:
    """A number of the papers, and ours, both in us; scaled: range on the paper's scale."""

    text: str
    cite: str
    stated: float
    here: float | None
    scaled: tuple | None


def measured(of, found, seeds):
    """(median, simulation for a frame) of all seeds, or None."""
    all_seeds = [found.get((of["scenario"], of["series"], of["variant"], seed)) for seed in seeds]
    if not all(one and one.median is not None for one in all_seeds):
        return None
    return median(one.median for one in all_seeds), median(one.simulator for one in all_seeds)


def both(one, found, seeds):
    """A prediction's number as it is, and with the simulation taken off; or None."""
    value = measured(one["value"], found, seeds)
    if value is None:
        return None
    if "minus" not in one:
        return (value[0], value[0] - value[1]) if value[0] > value[1] else None
    less = measured(one["minus"], found, seeds)
    if less is None:
        return None
    part = (value[0] - less[0]) / one.get("times", 1)
    return part, part


def compare(file, found, seeds):
    """(range of the scale, or None; a Compared for each prediction, the anchor first)"""
    anchor = both(file["anchor"], found, seeds)
    scale = [file["anchor"]["stated"] / one for one in anchor] if anchor else None
    compared = []
    for one in (file["anchor"], *file["prediction"]):
        here = both(one, found, seeds)
        scaled = None
        if scale and here:
            scaled = tuple(sorted(part * factor for part, factor in zip(here, scale, strict=True)))
        compared.append(Compared(one["text"], one["cite"], one["stated"], here and here[0], scaled))
    return scale, compared
