# SPDX-License-Identifier: GPL-2.0-only
"""Read the results of a plan, and put those of all seeds together."""

import json
from collections import Counter
from dataclasses import dataclass
from itertools import chain

from verdicts import Figures

MICRO = 1000


@dataclass(frozen=True)
class Line:
    """All seeds of a series and a variant.

    order: of the variant in its scenario; seeds: of which there is a result that counts; slow: those
    for which the CPU was too slow, so that buses skipped time; failed: reasons of those without a
    result; latencies: of all frames that arrived, ascending, in ns; sent, lost, simulator (ns) and bus
    (ns): sums; shares: what each seed lost, in percent; boots: (greatest difference of the medians of
    boots in percent, number of boots), or None with one boot; first: the result of the first seed.
    """

    series: str
    variant: str
    order: int
    seeds: tuple
    slow: tuple
    failed: tuple
    latencies: tuple
    sent: int
    lost: int
    simulator: int
    bus: int
    shares: tuple
    boots: tuple | None
    first: dict


def read(build):
    """(runs of the plan, with their results by key, and reasons of failures by key)"""
    return read_runs(build, json.loads((build / "plan.json").read_text(encoding="utf-8"))["runs"])


def read_runs(build, plan):
    """The same of other runs."""
    found, failed = {}, {}
    for run in plan:
        path = build / "results" / f"{run['key']}.json"
        if path.exists():
            found[run["key"]] = json.loads(path.read_text(encoding="utf-8"))
        elif path.with_suffix(".failed").exists():
            failed[run["key"]] = path.with_suffix(".failed").read_text(encoding="utf-8")
    return plan, found, failed


def rank(ordered, part):
    """A percentile by the nearest rank."""
    return ordered[max(-(-len(ordered) * part // 1000) - 1, 0)]


def latencies_of(result, name):
    """Latencies of the frames of a run that arrived, ascending, in ns: to their destination, or those
    of the series with this name."""
    if name is None:
        return sorted(latency for _, latency in result["frames"] if latency is not None)
    profile = next(one["profile"] for one in result["series"] if one["name"] == name)
    if not profile:
        return []
    after = [at_least for _, at_least in profile[1:]] + [0]
    return [ns for (ns, at_least), more in zip(profile, after, strict=True) for _ in range(at_least - more)]


def figures_of(result, name):
    """Figures of a run; name: that of the series of latencies, or None."""
    ordered, counts = latencies_of(result, name), result["counts"]
    sent = counts["sent"]
    frame = (counts["bits"] / sent - 3) * 1e6 / result["options"]["bitrate"]
    lost = 100 * counts["lost"] / sent
    simulator = (counts["simulator_ns"] + counts.get("out_simulator_ns", 0)) / sent / MICRO
    parts = (500, 990, 999, 1000)
    times = [rank(ordered, part) / MICRO if ordered else None for part in parts]
    return Figures(*times, lost, frame, simulator)


def all_figures(plan, found):
    """Figures of each run by (scenario, series, variant, seed); not those of runs for which the
    simulated CPU was too slow."""
    return {
        (run["scenario"], run["series"], run["variant"], run["seed"]): figures_of(found[run["key"]], run["latency"])
        for run in plan
        if run["key"] in found and valid(found[run["key"]])
    }


def valid(result):
    """Is a result complete, and did the buses skip no time?"""
    counts = result["counts"]
    return result["complete"] and not counts["skipped_ns"] + counts.get("out_skipped_ns", 0)


def profile_of(ordered):
    """Latency profile: (ns, number of frames that took at least so long)."""
    at_least, profile = len(ordered), []
    for ns, count in sorted(Counter(ordered).items()):
        profile.append((ns, at_least))
        at_least -= count
    return tuple(profile)


def boots_of(results, latencies):
    """How much the medians of the boots differ in which results were measured: see Line. latencies has
    those of each result."""
    boots = {}
    for result, frames in zip(results, latencies, strict=True):
        boots.setdefault(result["boot"], []).extend(frames)
    medians = [rank(sorted(frames), 500) for frames in boots.values() if frames]
    if len(medians) < 2:
        return None
    return 100 * (max(medians) - min(medians)) / max(medians), len(medians)


def line_of(runs, order, found, failed):
    """The Line of runs that differ by their seed."""
    measured = [run for run in runs if run["key"] in found]
    good = [run for run in measured if valid(found[run["key"]])]
    results = [found[run["key"]] for run in good]
    latencies = [latencies_of(result, runs[0]["latency"]) for result in results]
    total = Counter()
    for result in results:
        total.update(result["counts"])
    bus = sum(result["frames"][-1][0] for result in results if result["frames"])
    return Line(
        series=runs[0]["series"],
        variant=runs[0]["variant"],
        order=order,
        seeds=tuple(run["seed"] for run in good),
        slow=tuple(run["seed"] for run in measured if run not in good),
        failed=tuple(failed[run["key"]] for run in runs if run["key"] in failed),
        latencies=tuple(sorted(chain.from_iterable(latencies))),
        sent=total["sent"],
        lost=total["lost"],
        simulator=total["simulator_ns"] + total["out_simulator_ns"],
        bus=bus,
        shares=tuple(100 * one["counts"]["lost"] / one["counts"]["sent"] for one in results),
        boots=boots_of(results, latencies),
        first=results[0] if results else {},
    )


def lines(plan, found, failed, scenario):
    """The Lines of a scenario, in the order of the plan."""
    by_line = {}
    for run in plan:
        if run["scenario"] == scenario:
            by_line.setdefault((run["series"], run["variant"]), []).append(run)
    order = list(dict.fromkeys(variant for _, variant in by_line))
    return [
        line_of(runs, order.index(variant), found, failed) for (_, variant), runs in by_line.items()
    ]
