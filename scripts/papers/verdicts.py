# SPDX-License-Identifier: GPL-2.0-only
"""Judge the claims of claims.toml. Pure functions.

Results are a dictionary from (scenario, series, variant, seed) to Figures.
"""

from dataclasses import dataclass

HOLDS = "holds here"
DOES_NOT = "does not hold here"
UNDECIDED = "undecided"
UNMEASURED = "not measured"


@dataclass(frozen=True)
class Figures:
    """Figures of a run: latencies in us, None if no frame arrived; lost frames in percent; the mean
    duration of a frame in us; the simulation of the buses in timer interrupts for each
    frame in us."""

    median: float | None
    p99: float | None
    p999: float | None
    max: float | None
    lost: float
    frame: float
    simulator: float


def side(claim, end, variant, seed, results):
    """The value of one side of a claim, or None."""
    what = claim[end]
    variant = what.get("variant", variant)
    figures = results.get((claim["scenario"], what["series"], variant, seed))
    if figures is None:
        return None
    value = getattr(figures, what["metric"])
    if "minus" in what:
        less = results.get((claim["scenario"], what["minus"], variant, seed))
        less = getattr(less, what["metric"]) if less else None
        return None if None in (value, less) else value - less
    if value is not None and claim.get("frame") and what["metric"] != "lost":
        value += figures.frame
    return value


def relation(claim, variant, seed, results):
    """The value that is compared with the limits, or None."""
    left = side(claim, "left", variant, seed, results)
    if claim["relation"] == "value" or left is None:
        return left
    right = side(claim, "right", variant, seed, results)
    if right is None:
        return None
    if claim["relation"] == "difference":
        return left - right
    if claim["relation"] == "distance":
        return abs(left - right)
    return left / right if right else None


def beyond(limit, margin):
    """How far a value must be from a limit."""
    return abs(limit) * margin


def satisfies(claim, value, with_margin):
    """Does a value keep to the limits of a claim?"""
    margin = claim["margin"] if with_margin else 0
    if "least" in claim and value < claim["least"] + beyond(claim["least"], margin):
        return False
    return "most" not in claim or value <= claim["most"] - beyond(claim["most"], margin)


def verdict(claim, variant, seeds, results):
    """(verdict, value of each seed)"""
    values = [relation(claim, variant, seed, results) for seed in seeds]
    if not values or any(value is None for value in values):
        return UNMEASURED, values
    if all(satisfies(claim, value, True) for value in values):
        return HOLDS, values
    if not any(satisfies(claim, value, False) for value in values):
        return DOES_NOT, values
    return UNDECIDED, values


def judge(claims, seeds, results):
    """(claim, variant, verdict, value of each seed) of all claims and their variants."""
    return [
        (claim, variant, *verdict(claim, variant, seeds, results))
        for claim in claims
        for variant in claim["variants"]
    ]
