#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Plan the runs of the papers' experiments.

A run is one call of canbench-load: a series of a scenario, a variant and a seed. Its result has a
name, the key, that depends on all that it is made of: modules, kernel, programs, options and seed.
So no run is measured twice, and none that is out of date is shown.
"""

import argparse
import hashlib
import json
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SEEDS = 8

# 2^N ns per instruction
SHIFTS = {125: 3, 250: 2, 500: 1}


@dataclass(frozen=True)
class Machine:
    """A virtual machine that runs some seeds."""

    kernel: str
    modules: str
    mips: int
    seeds: tuple

    @property
    def name(self):
        """Name of its files."""
        return f"{self.kernel}-{self.modules}-{self.mips}-{self.seeds[0]}"


@dataclass(frozen=True)
class Run:
    """A call of canbench-load."""

    key: str
    scenario: str
    series: str
    variant: str
    seed: int
    mips: int
    command: tuple
    latency: str | None


def read(name):
    """The tables of a file of this directory."""
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


def rule_lines(rules, express):
    """Rules of a scenario as a file for canroute(1)."""
    end = " express" if express else ""
    if "text" in rules:
        return [f"from in to out {rules['text']}{end}".strip()]
    mask = f"/{rules['mask']}" if "mask" in rules else ""
    return [f"from in to out id {number:03X}{mask}{end}" for number in range(rules["count"])]


def rule_file(lines, directory):
    """The path of a file with these lines, which is written if there is none."""
    text = "\n".join(lines) + "\n"
    path = directory / (hashlib.sha256(text.encode()).hexdigest()[:16] + ".rules")
    if not path.exists():
        directory.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.rename(path)
    return path


def gateway_options(variant, rules, directory):
    """Options that make the gateway of a variant."""
    express = variant.get("express", False)
    if "options" in variant:
        return variant["options"]
    if rules:
        return ["--rules", str(rule_file(rule_lines(rules, express), directory))]
    return ["--express"] if express else []


def command(scenario, series, variant, seed, count, directory):
    """Arguments of canbench-load."""
    options = ["--count", str(count), "--seed", str(seed), *scenario["options"], *series["options"]]
    chips = scenario["chips"]
    if len(chips) > 1:
        rules = series.get("rules", scenario.get("rules"))
        options += ["--gateway", chips[1], *gateway_options(variant, rules, directory)]
    return (*options, chips[0])


def stamps(build):
    """What the modules of each kernel and the programs are, by "KERNEL" and "programs"."""
    return json.loads((build / "stamps.json").read_text(encoding="utf-8"))


def key_of(call, variant, mips, stamp):
    """Name of the result of a call."""
    # a file of rules has the hash of its text as name
    words = [Path(word).name if word.endswith(".rules") else word for word in call]
    made_of = [words, variant["kernel"], variant["modules"], mips]
    made_of += [stamp[variant["kernel"]], stamp["programs"]]
    return hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:20]


def chosen(scenario, only):
    """Is a scenario asked for, by its name or that of a figure?"""
    return not only or bool({scenario["id"], *scenario["figures"]} & set(only))


def kinds(series):
    """The first of the series with the same options, whatever their values."""
    first = {}
    for one in series:
        first.setdefault(tuple(word for word in one["options"] if word.startswith("--")), one)
    return first.values()


def halves(seeds):
    """The seeds of each of two virtual machines."""
    first = tuple(range(1, seeds // 2 + 1)) or (1,)
    return first, tuple(range(first[-1] + 1, seeds + 1))


def runs(build, seeds=SEEDS, only=(), smoke=False):
    """All runs, for each machine."""
    variants, stamp, plan = read("variants.toml"), stamps(build), {}
    for scenario in read("scenarios.toml")["scenario"]:
        if not chosen(scenario, only):
            continue
        count = 25 if smoke else scenario["frames"] // SEEDS
        for name in scenario["variants"]:
            variant = variants[name]
            if smoke and (variant["kernel"] != "stock" or scenario["mips"] == 125):
                continue
            for series in kinds(scenario["series"]) if smoke else scenario["series"]:
                for seed in range(1, seeds + 1):
                    call = command(scenario, series, variant, seed, count, build / "rules")
                    key = key_of(call, variant, scenario["mips"], stamp)
                    run = Run(
                        key, scenario["id"], series["name"], name, seed, scenario["mips"], call,
                        scenario.get("latency"),
                    )
                    part = next(half for half in halves(seeds) if seed in half)
                    at = Machine(variant["kernel"], variant["modules"], scenario["mips"], part)
                    plan.setdefault(at, []).append(run)
    return plan


def write(build, smoke=False):
    """Write plan.json: all runs, and the stamps on which they depend."""
    plan = [run.__dict__ for part in runs(build, smoke=smoke).values() for run in part]
    text = json.dumps({"stamps": stamps(build), "runs": plan})
    (build / "plan.json").write_text(text, encoding="utf-8")


def missing(runs_of_machine, results):
    """Runs that have no result and have not failed, each once: scenarios may share runs. They are in
    the order of seeds, so that all series have the first seeds soon."""
    left = {
        run.key: run
        for run in runs_of_machine
        if not any((results / f"{run.key}{end}").exists() for end in (".json", ".failed"))
    }
    return sorted(left.values(), key=lambda run: run.seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="directory with stamps.json")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--smoke", action="store_true")
    args = parser.parse_args()
    results = args.build / "results"
    lists = args.build / "lists"
    lists.mkdir(parents=True, exist_ok=True)
    known = {name for one in read("scenarios.toml")["scenario"] for name in [one["id"], *one["figures"]]}
    unknown = set(args.only) - known
    if unknown:
        parser.error(f"no scenario has or shows {', '.join(sorted(unknown))}")
    plan = runs(args.build, args.seeds, args.only, args.smoke)
    # the page also shows what was measured before
    write(args.build, args.smoke)
    for machine, part in plan.items():
        left = missing(part, results)
        if not left:
            continue
        text = "".join(f"{run.key} {shlex.join(run.command)}\n" for run in left)
        (lists / machine.name).write_text(text, encoding="utf-8")
        print(machine.name, machine.kernel, machine.modules, SHIFTS[machine.mips], len(left))


if __name__ == "__main__":
    main()
