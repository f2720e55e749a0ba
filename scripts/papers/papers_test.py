#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the papers' experiments, with made-up results: plan, verdicts and page."""

import contextlib
import io
import json
import re
import tempfile
import unittest
from pathlib import Path

import documents
import drawings
import page
import pictures
import plan
import results
import scale
import verdicts
from matplotlib.colors import to_hex

SEEDS = range(1, plan.SEEDS + 1)


def made_up(claim, variant, values):
    """Results that give a claim these values of its relation, one for each seed."""
    found = {}
    for seed, value in zip(SEEDS, values, strict=True):
        sides = {"left": value}
        if "right" in claim:
            right = 100.0
            left = value * right if claim["relation"] == "ratio" else value + right
            sides = {"left": left, "right": right}
        for end, number in sides.items():
            what = claim[end]
            of = claim["scenario"], what.get("variant", variant), seed
            if "minus" in what:
                found[of[0], what["minus"], *of[1:]] = verdicts.Figures(*[50.0] * 5, 0.0, 0.0)
                number += 50
            found[of[0], what["series"], *of[1:]] = verdicts.Figures(*[number] * 5, 0.0, 0.0)
    return found


def good_and_bad(claim):
    """A value of a relation that satisfies a claim with its margin, and one that violates it."""
    limit = claim.get("least", claim.get("most"))
    away = 1 + 2 * abs(limit) * (1 + claim["margin"])
    if claim["relation"] == "distance":
        return 0.0, limit + away
    return (limit + away, limit - away) if "least" in claim else (limit - away, limit + away)


def directory(at):
    """Files that a plan needs, as a directory."""
    build = Path(at)
    (build / "results").mkdir()
    stamps = {"programs": "p", "stock": "s", "rt": "r"}
    (build / "stamps.json").write_text(json.dumps(stamps), encoding="utf-8")
    return build


def result(latency, lost=1, boot="b"):
    """A result with ten frames, of which some were lost."""
    frames = [[1000 * number, latency + number - 4] for number in range(10 - lost)]
    frames += [[9000 + number, None] for number in range(lost)]
    counts = {"sent": 10, "lost": lost, "bits": 1200, "skipped_ns": 0}
    counts |= {"simulator_ns": 20000, "out_simulator_ns": 10000}
    return {
        "boot": boot,
        "tool": "canbench-load",
        "load": "none",
        "complete": True,
        "started": "2026-01-01T00:00:00Z",
        "system": {"kernel": "6.12", "version": "1", "machine": "x", "cpus": 1},
        "options": {"bitrate": 1000000},
        "counts": counts,
        "frames": frames,
        "series": [{"name": "end of frame to time stamp", "profile": [[5, 9], [8, 2]]}],
    }


def make_plan(build):
    """Write the plan, and return its runs."""
    plan.write(build)
    return [run for part in plan.runs(build).values() for run in part]


def modules_of(run):
    """Kernel and modules of a run."""
    variant = plan.read("variants.toml")[run.variant]
    return variant["kernel"], variant["modules"]


class Claims(unittest.TestCase):
    """Each claim can have each verdict."""

    def verdict(self, claim, variant, values):
        return verdicts.verdict(claim, variant, SEEDS, made_up(claim, variant, values))[0]

    def test_three_verdicts(self):
        for claim in plan.read("claims.toml")["claim"]:
            good, bad = good_and_bad(claim)
            for variant in claim["variants"]:
                with self.subTest(claim=claim["id"], variant=variant):
                    mixed = [good] * 7 + [bad]
                    self.assertEqual(self.verdict(claim, variant, [good] * 8), verdicts.HOLDS)
                    self.assertEqual(self.verdict(claim, variant, [bad] * 8), verdicts.DOES_NOT)
                    self.assertEqual(self.verdict(claim, variant, mixed), verdicts.UNDECIDED)

    def test_one_series_is_taken_off_another(self):
        claim = {
            "scenario": "s",
            "left": {"series": "a", "minus": "c", "metric": "median"},
            "right": {"series": "b", "metric": "median"},
            "relation": "ratio",
        }
        values = {"a": 40.0, "b": 10.0, "c": 20.0}
        found = {("s", name, "v", 1): verdicts.Figures(*[value] * 5, 0.0, 0.0) for name, value in values.items()}
        self.assertEqual(2, verdicts.relation(claim, "v", 1, found))
        del found["s", "c", "v", 1]
        self.assertIsNone(verdicts.relation(claim, "v", 1, found))

    def test_a_limit_itself_is_undecided(self):
        claim = {
            "scenario": "s",
            "left": {"series": "a", "metric": "max"},
            "relation": "value",
            "least": 10.0,
            "margin": 0.1,
        }
        self.assertEqual(self.verdict(claim, "v", [10.5] * 8), verdicts.UNDECIDED)
        self.assertEqual(self.verdict(claim, "v", [11.0] * 8), verdicts.HOLDS)
        self.assertEqual(self.verdict(claim, "v", [9.9] * 8), verdicts.DOES_NOT)

    def test_without_a_result_of_each_seed_nothing_is_said(self):
        claim = plan.read("claims.toml")["claim"][0]
        variant = claim["variants"][0]
        found = made_up(claim, variant, [good_and_bad(claim)[0]] * 8)
        del found[next(iter(found))]
        self.assertEqual(
            verdicts.verdict(claim, variant, SEEDS, found)[0], verdicts.UNMEASURED
        )

    def test_claims_refer_to_scenarios(self):
        scenarios = {one["id"]: one for one in plan.read("scenarios.toml")["scenario"]}
        places = {one["id"] for one in plan.read("figures.toml")["figure"]}
        for claim in plan.read("claims.toml")["claim"]:
            with self.subTest(claim=claim["id"]):
                scenario = scenarios[claim["scenario"]]
                series = {one["name"] for one in scenario["series"]}
                for end in ("left", "right"):
                    if end in claim:
                        self.assertIn(claim[end]["series"], series)
                        self.assertIn(claim[end].get("minus", claim[end]["series"]), series)
                        variant = claim[end].get("variant", claim["variants"][0])
                        self.assertIn(variant, scenario["variants"])
                self.assertLessEqual(set(claim["variants"]), set(scenario["variants"]))
                self.assertEqual(1, ("least" in claim) + ("most" in claim))
        for scenario in scenarios.values():
            self.assertLessEqual(set(scenario["figures"]), places)
            self.assertLessEqual(set(scenario["variants"]), set(plan.read("variants.toml")))


class Scale(unittest.TestCase):
    """Numbers of the papers beside ours."""

    @staticmethod
    def file():
        """An anchor, a number, and half of a difference."""
        x, y = ({"scenario": "s", "series": name, "variant": "v"} for name in "xy")
        anchor = {"text": "a", "cite": "c", "stated": 40.0, "value": x}
        number = {"text": "b", "cite": "c", "stated": 9.0, "value": y}
        return {"anchor": anchor, "prediction": [number, {**number, "minus": x, "times": 2}]}

    @staticmethod
    def found(**medians):
        """Results with these medians, of which the simulation has 5 us."""
        return {
            ("s", series, "v", seed): verdicts.Figures(middle, middle, middle, middle, 0.0, 0.0, 5.0)
            for series, middle in medians.items()
            for seed in SEEDS
        }

    def test_scale(self):
        factors, compared = scale.compare(self.file(), self.found(x=10.0, y=20.0), SEEDS)
        self.assertEqual([4.0, 8.0], factors)
        self.assertEqual([10.0, 20.0, 5.0], [one.here for one in compared])
        self.assertEqual([(40.0, 40.0), (80.0, 120.0), (20.0, 40.0)], [one.scaled for one in compared])

    def test_no_more_is_taken_off_than_there_is(self):
        factors, compared = scale.compare(self.file(), self.found(x=10.0, y=5.0), SEEDS)
        self.assertEqual([4.0, 8.0], factors)
        self.assertEqual([10.0, None], [one.here for one in compared[:2]])
        self.assertIsNone(scale.compare(self.file(), self.found(x=5.0, y=20.0), SEEDS)[0])

    def test_nothing_is_scaled_without_the_anchor(self):
        factors, compared = scale.compare(self.file(), self.found(y=20.0), SEEDS)
        self.assertIsNone(factors)
        self.assertEqual([None, 20.0, None], [one.here for one in compared])
        self.assertEqual({None}, {one.scaled for one in compared})

    def test_predictions_refer_to_scenarios(self):
        file = plan.read("predictions.toml")
        scenarios = {one["id"]: one for one in plan.read("scenarios.toml")["scenario"]}
        for one in (file["anchor"], *file["prediction"]):
            for end in ("value", "minus"):
                if end in one:
                    scenario = scenarios[one[end]["scenario"]]
                    self.assertIn(one[end]["series"], [series["name"] for series in scenario["series"]])
                    self.assertIn(one[end]["variant"], scenario["variants"])


class Plans(unittest.TestCase):
    """Names of results, and what is left to measure."""

    def test_names_depend_on_what_a_run_is_made_of(self):
        with tempfile.TemporaryDirectory() as at:
            build = directory(at)
            runs = make_plan(build)
            before = [run.key for run in runs]
            calls = {(run.command, run.mips, modules_of(run)) for run in runs}
            self.assertEqual(len(calls), len(set(before)))
            self.assertEqual(before, [run.key for run in make_plan(build)])
            stamps = {"programs": "p", "stock": "other", "rt": "r"}
            (build / "stamps.json").write_text(json.dumps(stamps), encoding="utf-8")
            after = make_plan(build)
            kernels = plan.read("variants.toml")
            for old, new in zip(before, after, strict=True):
                other = kernels[new.variant]["kernel"] == "stock"
                self.assertEqual(other, old != new.key)

    def test_what_was_measured_or_has_failed_is_not_missing(self):
        with tempfile.TemporaryDirectory() as at:
            build = directory(at)
            runs = make_plan(build)
            keys = list(dict.fromkeys(run.key for run in runs))
            (build / "results" / f"{keys[0]}.json").touch()
            (build / "results" / f"{keys[1]}.failed").touch()
            left = [run.key for run in plan.missing(runs, build / "results")]
            self.assertEqual(sorted(keys[2:]), sorted(left))

    def test_rules(self):
        self.assertEqual(
            ["from in to out id 000/7FF express", "from in to out id 001/7FF express"],
            plan.rule_lines({"count": 2, "mask": "7FF"}, True),
        )
        self.assertEqual(["from in to out set len=8"], plan.rule_lines({"text": "set len=8"}, False))


class Pages(unittest.TestCase):
    """The page has all places, asks for nothing outside, and shows what was measured."""

    def setUp(self):
        self.at = tempfile.TemporaryDirectory()
        self.build = directory(self.at.name)
        self.runs = make_plan(self.build)

    def tearDown(self):
        self.at.cleanup()

    def measure(self, latency, scenarios=("plain-flood", "rules-mask-flood"), lost=lambda run: 1):
        """Make up the result of each run of some scenarios; latency and lost are functions."""
        for run in self.runs:
            if run.scenario in scenarios:
                path = self.build / "results" / f"{run.key}.json"
                made = result(latency(run), lost(run), f"boot {(run.seed - 1) // 4}")
                path.write_text(json.dumps(made), encoding="utf-8")

    def measure_all(self):
        """Make up all results."""
        variants = list(plan.read("variants.toml"))
        latency = lambda run: 10000 * (1 + variants.index(run.variant)) + 100 * run.seed
        self.measure(latency, {run.scenario for run in self.runs}, lambda run: 1 + variants.index(run.variant) % 4)

    def medians(self, text):
        """Medians of figure G-F7a with identifier 000, by variant."""
        section = re.search(r'<section id="G-F7a">.*?</section>', text, re.DOTALL).group()
        row = r'<th scope="row">([^<]*)</th><td>identifier 000</td>(?:<td>[^<]*</td>){3}<td>([^<]*)<'
        return dict(re.findall(row, section))

    def page(self):
        with contextlib.redirect_stderr(io.StringIO()):
            return page.Page(self.build).text()

    def test_each_place_is_there_once(self):
        text = self.page()
        ids = re.findall(r'\bid="([^"]+)"', text)
        self.assertEqual(len(ids), len(set(ids)))
        for place in plan.read("figures.toml")["figure"]:
            for one in [place["id"], *place.get("also", [])]:
                self.assertIn(one, ids)
                self.assertIn(one, re.sub(r"<[^>]*>", "", text))
        for link in re.findall(r'href="#([^"]+)"', text):
            self.assertIn(link, ids)

    def test_nothing_is_asked_for_outside(self):
        self.measure(lambda run: 10000)
        text = self.page()
        self.assertNotRegex(text, r"<script|<link|<img|<iframe|@import|url\((?!#)")
        self.assertFalse(re.findall(r'(?:src|href)="(?!#)[^"]*"', text))

    def test_variants_are_not_confused(self):
        variants = {"6.12": 20000, "patched": 10000}
        self.measure(lambda run: variants.get(run.variant, 5000))
        before = self.page()
        self.assertEqual(before, self.page())
        self.assertEqual({"6.12": "20.0", "patched": "10.0"}, self.medians(before))
        variants["6.12"], variants["patched"] = variants["patched"], variants["6.12"]
        self.measure(lambda run: variants.get(run.variant, 5000))
        self.assertEqual({"6.12": "10.0", "patched": "20.0"}, self.medians(self.page()))

    def test_eight_variants_have_different_lines(self):
        self.measure(lambda run: 10000, ("user-flood",))
        lines = results.lines(*results.read(self.build), "user-flood")
        parts = list(drawings.parts_of(lines))
        self.assertEqual(len(lines), sum(map(len, parts)))
        for part in parts:
            drawn = drawings.profile_lines(part)
            self.assertEqual(len(part), len({(line.colour, line.dashes) for line in drawn}))

    def test_latencies_of_a_series(self):
        made = result(10000)
        self.assertEqual([10000 + number - 4 for number in range(9)], results.latencies_of(made, None))
        name = "end of frame to time stamp"
        self.assertEqual([5] * 7 + [8] * 2, results.latencies_of(made, name))
        made["series"][0]["profile"] = []
        self.assertEqual([], results.latencies_of(made, name))

    def test_a_smoke_run_has_all_kinds_of_options(self):
        with tempfile.TemporaryDirectory() as at:
            smoke = plan.runs(directory(at), seeds=1, smoke=True)
        words = {word for part in smoke.values() for run in part for word in run.command}
        for word in ("--hops", "--vcans", "--vxcan", "--load", "--ping-size", "--rules", "--stamp"):
            self.assertIn(word, words)

    def test_curves(self):
        self.measure(lambda run: 10000, ("hops",))
        scenario = next(one for one in plan.read("scenarios.toml")["scenario"] if one["id"] == "hops")
        lines = results.lines(*results.read(self.build), "hops")
        drawn = {
            ", ".join(name): [(at, line.series) for at, line in points]
            for name, points in drawings.curves(scenario, lines).items()
        }
        chain = [(4, "4 rules, chain"), (6, "6 rules, chain")]
        self.assertEqual(chain, drawn["6.12, chain"])
        self.assertEqual({"6.12", "patched"}, {name.split(",")[0] for name in drawn})
        self.assertEqual(6, len(drawn))
        section = re.search(r'<section id="G-F11a">.*?</section>', self.page(), re.DOTALL).group()
        self.assertEqual(1, section.count(": curves"))

    def test_boots(self):
        self.measure(lambda run: 10000 if run.seed <= 4 else 10100, ("user-one",))
        lines = results.lines(*results.read(self.build), "user-one")
        self.assertEqual({(100 * 100 / 10100, 2)}, {line.boots for line in lines})
        self.assertIn("0.99 % of 2 !", self.page())
        self.assertEqual("0.50 % of 3", page.boots_text((0.5, 3)))
        for run in self.runs:
            if run.seed > 4:
                (self.build / "results" / f"{run.key}.json").unlink(missing_ok=True)
        lines = results.lines(*results.read(self.build), "user-one")
        self.assertEqual({None}, {line.boots for line in lines})

    def test_what_was_lost_is_drawn(self):
        lost = {"6.12": 3, "patched": 0}
        self.measure(lambda run: 10000, ("flood-loss",), lambda run: lost.get(run.variant, 1))
        lines = results.lines(*results.read(self.build), "flood-loss")
        self.assertEqual({(10.0 * lost.get(line.variant, 1),) * 8 for line in lines}, {line.shares for line in lines})
        axes = drawings.loss_canvas(lines, "title").axes[0]
        drawn = {(bar.get_width(), to_hex(bar.get_facecolor())) for bar in axes.patches}
        colours = dict(zip(["6.12", "patched"], drawings.draw.COLOURS, strict=False))
        for variant, colour in colours.items():
            self.assertIn((10.0 * lost[variant], colour), drawn)
        self.assertEqual(len(lines), len(axes.patches))
        section = re.search(r'<section id="G-c3">.*?</section>', self.page(), re.DOTALL).group()
        self.assertEqual(1, section.count(": lost frames"))
        self.assertEqual(3, section.count("30 %</text>"))

    def test_a_variant_has_one_colour(self):
        self.measure(lambda run: 10000, ("flood-loss",), lambda run: 10 if run.variant == "6.12" else 1)
        lines = results.lines(*results.read(self.build), "flood-loss")
        drawn = drawings.profile_lines([line for line in lines if line.latencies])
        patched = {line.colour for line in drawn if line.name.startswith("patched,")}
        self.assertEqual({1}, patched)
        handles = {one.get_label(): to_hex(one.get_facecolor()) for one in drawings.variant_handles(lines)}
        self.assertEqual(drawings.draw.COLOURS[1], handles["patched"])

    def test_colours_of_hatches_are_named(self):
        self.measure(lambda run: 10000, ("user-flood",))
        text = self.page()
        for colour in drawings.draw.COLOURS:
            self.assertNotIn(f'"{colour}"', text)

    def test_pictures(self):
        self.measure_all()
        read = results.read(self.build)
        for one in pictures.PICTURES:
            text = pictures.picture(read, one)
            self.assertEqual(text, pictures.picture(read, one))
            for part in one.parts:
                lines = pictures.part_of(read, part)
                named = [(line.series, line.variant) for line in lines]
                self.assertEqual([(a, b) for a in part.series for b in part.variants], named)

    def test_documents(self):
        names = ["verdicts.rst", *(f"papers-{one.name}.svg" for one in pictures.PICTURES)]
        self.measure_all()
        documents.write_all(self.build, self.build)
        for name in names:
            self.assertTrue((self.build / name).stat().st_size)
        text = (self.build / "verdicts.rst").read_text(encoding="utf-8")
        claims = plan.read("claims.toml")["claim"]
        words = (verdicts.HOLDS, verdicts.DOES_NOT, verdicts.UNDECIDED)
        count = sum(text.count(f'"{word}"') for word in words)
        self.assertEqual(sum(len(claim["variants"]) for claim in claims), count)
        for claim in claims:
            self.assertEqual(1, text.count(f'"{claim["id"]}: '))
        self.assertNotIn("–", text)

    def refused(self, reason):
        """Documents are not written, for this reason."""
        (self.build / "verdicts.rst").unlink(missing_ok=True)
        with self.assertRaisesRegex(SystemExit, reason):
            documents.write_all(self.build, self.build)
        self.assertFalse((self.build / "verdicts.rst").exists())

    def test_documents_need_all_results(self):
        self.measure_all()
        run = next(one for one in self.runs if (one.scenario, one.variant) == ("user-one", "bare"))
        path = self.build / "results" / f"{run.key}.json"
        slow = result(10000)
        slow["counts"]["skipped_ns"] = 1
        path.write_text(json.dumps(slow), encoding="utf-8")
        self.refused(f"too slow for 1, .*: {run.key}")
        path.unlink()
        self.refused(" 1 are not measured")
        path.with_suffix(".failed").touch()
        self.refused(" 1 have failed")
        stamps = {"programs": "p", "stock": "other", "rt": "r"}
        (self.build / "stamps.json").write_text(json.dumps(stamps), encoding="utf-8")
        self.refused("are not measured")
        (self.build / "stamps.json").write_text('{"programs": "p", "stock": "s"}', encoding="utf-8")
        self.refused("only the stock kernel")

    def test_the_simulation_of_both_buses_is_known(self):
        self.assertEqual(3.0, results.figures_of(result(10000), None).simulator)

    def test_one_seed_is_no_verdict(self):
        for run in self.runs:
            if run.seed == 1:
                path = self.build / "results" / f"{run.key}.json"
                path.write_text(json.dumps(result(10000)), encoding="utf-8")
        table = re.search(r'<section id="verdicts">.*?</section>', self.page(), re.DOTALL)
        words = set(re.findall(r'<td class="verdict">([^<]*)<', table.group()))
        self.assertEqual({verdicts.UNMEASURED}, words)

    def test_a_series_of_which_all_frames_were_lost_is_shown(self):
        lost = result(10000)
        lost["frames"] = [[end, None] for end, _ in lost["frames"]]
        lost["counts"]["lost"] = 10
        for run in self.runs:
            if run.scenario == "rules-mask-flood":
                path = self.build / "results" / f"{run.key}.json"
                path.write_text(json.dumps(lost), encoding="utf-8")
        self.assertIn("80 (100 %)", self.page())

    def test_a_failure_is_shown_at_its_place(self):
        run = next(one for one in self.runs if one.scenario == "plain-flood")
        reason = "the virtual machine has ended"
        (self.build / "results" / f"{run.key}.failed").write_text(reason, encoding="utf-8")
        section = re.search(r'<section id="G-F4">.*?</section>', self.page(), re.DOTALL)
        self.assertIn(reason, section.group())

    def test_results_of_a_cpu_that_was_too_slow_are_not_judged(self):
        self.measure(lambda run: 10000)
        slow = result(10000)
        slow["counts"]["skipped_ns"] = 1
        run = next(one for one in self.runs if one.scenario == "plain-flood")
        path = self.build / "results" / f"{run.key}.json"
        path.write_text(json.dumps(slow), encoding="utf-8")
        found = results.all_figures(*results.read(self.build)[:2])
        self.assertNotIn((run.scenario, run.series, run.variant, run.seed), found)


if __name__ == "__main__":
    unittest.main()
