#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of canreport; they need no CAN interface.

Run: python3 tests/canreport_test.py
"""

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parents[1]
PROGRAM = TOOLS / "canreport" / "canreport"
sys.path.insert(0, str(PROGRAM.parent))

from report import draw, figures, page, results

PROFILE = [[100, 5], [110, 3], [150, 1]]


def latency(name="latency", profile=PROFILE, **changes):
    """A latency series with a profile."""
    count = profile[0][1]
    ns = [point[0] for point in profile]
    series = {
        "name": name,
        "kind": "latency",
        "count": count,
        "min_ns": ns[0],
        "median_ns": ns[len(ns) // 2],
        "p99_ns": ns[-1],
        "p999_ns": ns[-1],
        "max_ns": ns[-1],
        "mean_ns": 112.5,
        "profile": profile,
    }
    return {**series, **changes}


def empty(name="latency"):
    """A latency series without a latency."""
    keys = ("min_ns", "median_ns", "p99_ns", "p999_ns", "max_ns", "mean_ns")
    return {"name": name, "kind": "latency", "count": 0, "profile": [], **dict.fromkeys(keys)}


def cost(name, ns):
    """A cost series."""
    return {"name": name, "kind": "cost", "frames": 1000, "ns_per_frame": ns}


def document(*series, **changes):
    """A valid result."""
    base = {
        "format": "can-measurement",
        "version": 1,
        "tool": "canlat",
        "label": "gateway",
        "load": "none",
        "system": {"kernel": "6.12.1", "version": "#1 SMP", "machine": "x86_64", "cpus": 2},
        "started": "2026-01-31T12:00:00Z",
        "complete": True,
        "options": {"length": 8},
        "counts": {"sent": 5, "received": 5, "lost": 0},
        "series": list(series) or [latency()],
    }
    base.update(changes)
    return base


def system(kernel, machine="x86_64"):
    """The system of a result."""
    return {"kernel": kernel, "version": "#1 SMP", "machine": machine, "cpus": 2}


def result(*series, **changes):
    """A Result, as it is read from a valid file."""
    made = document(*series, **changes)
    assert results.problems(made, results.validator()) == []
    return results.result_of(made, "a.json")


class Schema(unittest.TestCase):
    """Documents that the schema accepts or rejects."""

    def setUp(self):
        self.checker = results.validator()

    def rejected(self, broken, where):
        """The document is rejected, with a message about this element."""
        found = results.problems(broken, self.checker)
        self.assertTrue(any(where in problem for problem in found), f"{where} not in {found}")

    def test_schema_is_valid(self):
        self.checker.check_schema(self.checker.schema)

    def test_valid_results_are_accepted(self):
        for valid in (
            document(),
            document(empty()),
            document(cost("read", 12.5), cost("read", 12.6)),
            document(latency(profile=[[-7, 2], [0, 1]], mean_ns=-3)),
            document(started="2026-12-01T23:59:60.123+05:30"),
        ):
            self.assertEqual(results.problems(valid, self.checker), [])

    def test_every_part_of_the_envelope_is_required(self):
        for key in document():
            broken = document()
            del broken[key]
            self.rejected(broken, f"'{key}' is a required property")

    def test_every_part_of_a_series_is_required(self):
        for series in (latency(), cost("read", 1)):
            for key in series:
                broken = copy.deepcopy(series)
                del broken[key]
                self.rejected(document(broken), f"'{key}' is a required property")

    def test_nothing_else_is_allowed(self):
        self.rejected(document(extra=1), "'extra' was unexpected")
        self.rejected(document(latency(unit="ns")), "'unit' was unexpected")
        self.rejected(document(cost("read", 1) | {"unit": "ns"}), "'unit' was unexpected")
        self.rejected(document(system=system("6") | {"host": "x"}), "'host' was unexpected")

    def test_wrong_values_are_rejected(self):
        for path, broken in (
            ("$.format", document(format="other")),
            ("$.version", document(version=2)),
            ("$.label", document(label="")),
            ("$.complete", document(complete="yes")),
            ("$.started", document(started="31.1.2026 12:00")),
            ("$.counts.lost", document(counts={"lost": -1})),
            ("$.counts.lost", document(counts={"lost": 0.5})),
            ("$.counts.lost", document(counts={"lost": 2**63})),
            ("$.series[0].kind", document({"name": "x", "kind": "bars"})),
            ("$.series[0].ns_per_frame", document(cost("read", -1))),
            ("$.series[0].frames", document(cost("read", 1) | {"frames": 0})),
            ("$.series[0].min_ns", document(latency(min_ns=None))),
            ("$.series[0].max_ns", document(latency(max_ns=1.5))),
            ("$.series[0].max_ns", document(empty() | {"max_ns": 0})),
            ("$.series[0].profile", document(empty() | {"profile": [[1, 1]]})),
            ("$.series[0].profile[1]", document(latency(profile=[[1, 2], [2, 1, 0]]))),
            ("$.series[0].profile[1][1]", document(latency(profile=[[1, 2], [2, 0]]))),
        ):
            with self.subTest(path):
                self.rejected(broken, path)

    def test_contradictions_are_rejected(self):
        for message, broken in (
            ("percentiles", latency(median_ns=99)),
            ("begins with 5 frames", latency(count=6)),
            ("does not ascend", latency(profile=[[100, 5], [100, 3]])),
            ("descend in number", latency(profile=[[100, 5], [110, 5]])),
        ):
            with self.subTest(message):
                self.rejected(document(broken), message)


class Reading(unittest.TestCase):
    """Invalid JSON, and JSON that is not strict."""

    def rejected(self, data, message):
        """The bytes are rejected with the message."""
        with self.assertRaisesRegex(results.BadResult, message):
            results.parse(data)

    def test_bad_texts(self):
        self.rejected(b"", "empty")
        self.rejected(b" \n", "empty")
        self.rejected(b'{"a": 1', "line 1, column 8")
        self.rejected(b"\xff", "UTF-8")
        self.rejected(b'{"a": 1, "a": 2}', '"a" occurs twice')
        self.rejected(b'{"a": NaN}', "NaN is not a valid JSON number")
        self.rejected(b'{"a": 1e999}', "too large")
        self.rejected(b"[" * 100000, "nested too deeply")
        self.rejected(b"9" * 5000, "digits")

    def test_invalid_files_are_reported_and_valid_files_are_read(self):
        with tempfile.TemporaryDirectory() as directory:
            good, bad, wrong = (Path(directory) / name for name in ("good", "bad", "wrong"))
            good.write_text(json.dumps(document()))
            bad.write_text("{")
            wrong.write_text(json.dumps(document(load=1)))
            found, errors = results.read([bad, good, wrong, Path(directory) / "missing"])
        self.assertEqual([r.source for r in found], [str(good)])
        self.assertEqual(len(errors), 3)
        for error, part in zip(
            errors, ("bad: not JSON", "wrong: $.load", "missing: "), strict=True
        ):
            self.assertIn(part, error)


class Grouping(unittest.TestCase):
    """Groups of results and their order."""

    def keys(self, *made):
        """Keys of the groups."""
        return [one.key for one in figures.group(made)]

    def test_groups_by_label_kernel_and_load(self):
        made = [
            result(label=label, load=load, system=system(kernel))
            for label in ("b", "a")
            for load in ("cpu", "none")
            for kernel in ("6.12", "6.9")
            for _ in range(2)
        ]
        groups = figures.group(made)
        self.assertEqual(
            [one.key for one in groups],
            [(la, k, lo) for la in ("a", "b") for k in ("6.9", "6.12") for lo in ("none", "cpu")],
        )
        self.assertEqual([len(one.results) for one in groups], [2] * 8)

    def test_numbers_sort_by_value(self):
        made = [result(label=f"{hops} hops") for hops in (10, 2, 1)]
        self.assertEqual([key[0] for key in self.keys(*made)], ["1 hops", "2 hops", "10 hops"])

    def test_machines_are_separate_groups(self):
        arm, amd = system("6.12", "aarch64"), system("6.12", "x86_64")
        self.assertEqual(self.keys(result(system=arm)), [("gateway", "6.12", "none")])
        self.assertEqual(
            [key[1] for key in self.keys(result(system=arm), result(system=amd))],
            ["6.12 (aarch64)", "6.12 (x86_64)"],
        )

    def test_each_program_has_its_own_figures(self):
        (one,) = figures.group(
            [result(), result(tool="canping"), result(cost("read", 1), tool="z")]
        )
        shown = [(f.subtitle, len(f.lines), len(f.bars)) for f in figures.group_figures(one)]
        prefix = "kernel 6.12.1, load none, measured by "
        self.assertEqual(
            shown, [(prefix + "canlat", 1, 0), (prefix + "canping", 1, 0), (prefix + "z", 0, 1)]
        )

    def test_many_lines_are_split_into_several_figures(self):
        (one,) = figures.group([result(*(latency(f"ping {n}") for n in range(25)))])
        made = figures.group_figures(one)
        self.assertEqual([len(f.lines) for f in made], [9, 9, 7])
        self.assertTrue(made[2].subtitle.endswith("part 3 of 3"))
        self.assertEqual(len({f.key for f in made}), 3)

    def test_an_empty_series_has_no_line(self):
        (one,) = figures.group([result(empty(), latency("other"))])
        (figure,) = figures.group_figures(one)
        self.assertEqual([line.series.name for line in figure.lines], ["other"])


class Comparing(unittest.TestCase):
    """Figures in which one dimension differs."""

    def setUp(self):
        self.groups = figures.group(
            [
                result(label="a", load=load, options={"length": length})
                for load in ("cpu", "none")
                for length in (2, 8)
            ]
            + [result(label="b")]
        )

    def test_loads(self):
        (figure,) = figures.comparisons(self.groups, "load")
        names = [
            "load none, length 2",
            "load none, length 8",
            "load cpu, length 2",
            "load cpu, length 8",
        ]
        self.assertEqual([line.name for line in figure.lines], names)
        self.assertEqual(figure.title, "a")
        self.assertEqual(figure.subtitle, "loads compared: kernel 6.12.1")

    def test_colours_show_the_load_and_dashes_the_other_options(self):
        (figure,) = figures.comparisons(self.groups, "load")
        self.assertEqual(
            [(li.colour, li.dashes) for li in figure.lines], [(0, 0), (0, 1), (1, 0), (1, 1)]
        )

    def test_a_single_kernel_is_not_compared(self):
        self.assertEqual(figures.comparisons(self.groups, "kernel"), [])

    def test_experiments_under_the_same_load(self):
        (figure,) = figures.comparisons(self.groups, "label")
        self.assertEqual([line.name for line in figure.lines], ["a, length 2", "a, length 8", "b"])
        self.assertEqual(figure.subtitle, "kernel 6.12.1, load none")

    def test_a_program_with_one_group_is_left_out(self):
        groups = figures.group([result(), result(load="cpu"), result(load="cpu", tool="canping")])
        (figure,) = figures.comparisons(groups, "load")
        self.assertEqual({line.result.tool for line in figure.lines}, {"canlat"})


class Naming(unittest.TestCase):
    """The name of a line has only options that differ."""

    def names(self, *options, series="latency"):
        """Names of runs with these options."""
        return figures.tell_apart([(result(options=chosen), series) for chosen in options])

    def test_a_single_line_has_the_name_of_its_series(self):
        self.assertEqual(self.names({"length": 8}), ["latency"])

    def test_names_have_options_that_differ(self):
        self.assertEqual(
            self.names({"length": 2, "x": 1}, {"length": 8, "x": 1}), ["length 2", "length 8"]
        )

    def test_one_option_is_sufficient(self):
        names = self.names({"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 3})
        self.assertEqual(names, ["b 1", "b 2", "b 3"])

    def test_two_options_are_necessary(self):
        names = self.names({"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 1}, {"a": 2, "b": 2})
        self.assertEqual(names, ["a 1, b 1", "a 1, b 2", "a 2, b 1", "a 2, b 2"])

    def test_an_option_that_only_one_run_has(self):
        self.assertEqual(self.names({}, {"flood": True}), ["no flood", "flood true"])

    def test_equal_runs_are_numbered(self):
        self.assertEqual(self.names({"a": 1}, {"a": 1}), ["run 1", "run 2"])
        self.assertEqual(
            self.names({"a": 1}, {"a": 1}, {"a": 2}), ["a 1, run 1", "a 1, run 2", "a 2"]
        )

    def test_series_of_one_run(self):
        one = result()
        self.assertEqual(
            figures.tell_apart([(one, "ping 1"), (one, "ping 2")]), ["ping 1", "ping 2"]
        )

    def test_lost_frames_are_in_the_legend(self):
        lossy = result(counts={"sent": 8, "lost": 3})
        (line,) = figures.lines_of([lossy])
        self.assertEqual(figures.legend_name(line), "latency (3 of 8 frames lost)")


class Costs(unittest.TestCase):
    """Bars and their repeats."""

    def test_repeats_are_one_bar(self):
        run = result(cost("read", 10), cost("write", 30), cost("read", 11), cost("read", 10.5))
        read, write = figures.bars_of([run])
        self.assertEqual((read.name, read.repeats, read.frames), ("read", (10, 11, 10.5), 3000))
        self.assertEqual(read.middle, 10.5)
        self.assertAlmostEqual(read.spread, 1 / 10.5)
        self.assertEqual((write.middle, write.spread), (30, 0))

    def test_even_number_of_repeats(self):
        (bar,) = figures.bars_of([result(cost("read", 10), cost("read", 20))])
        self.assertEqual(bar.middle, 15)

    def test_a_cost_of_zero(self):
        (bar,) = figures.bars_of([result(cost("read", 0))])
        self.assertEqual((bar.middle, bar.spread), (0, 0))


class Steps(unittest.TestCase):
    """The line of a latency profile."""

    def test_corners(self):
        times, counts = figures.steps([(100, 5), (110, 3), (150, 1)])
        self.assertEqual(
            list(zip(times, counts, strict=True)),
            [(100, 5), (100, 3), (110, 3), (110, 1), (150, 1)],
        )

    def test_level_is_the_number_of_frames_with_this_latency(self):
        values = [3, 3, 4, 7, 7, 7, 12]
        profile = [(v, sum(other >= v for other in values)) for v in sorted(set(values))]
        times, counts = figures.steps(profile)
        for at in (3.5, 4, 5, 7, 11, 12):
            expected = sum(value >= at for value in values)
            # the level segment that ends at or after "at"
            levels = [counts[i] for i in range(1, len(times)) if times[i - 1] < at <= times[i]]
            self.assertEqual(levels, [expected], at)

    def test_single_point(self):
        self.assertEqual(figures.steps([(7, 4)]), ([7], [4]))

    def test_short_profiles_are_not_thinned(self):
        profile = tuple((n, 100 - n) for n in range(100))
        self.assertIs(figures.thin(profile), profile)

    def test_thinned_profile_keeps_its_ends_and_all_late_frames(self):
        early = [(n, 100000 - n) for n in range(99990)]
        late = [(200000 + 50000 * n, 10 - n) for n in range(10)]
        profile = tuple(early + late)
        thinned = figures.thin(profile, 1000)
        self.assertLessEqual(len(thinned), 1010)
        self.assertEqual(thinned[0], profile[0])
        self.assertEqual(list(thinned[-10:]), late)
        self.assertLessEqual(set(thinned), set(profile))

    def test_nearest_kept_count_is_close(self):
        profile = tuple((n * n, 5000 - n) for n in range(5000))
        kept = figures.thin(profile, 500)
        following = iter(kept)
        current = next(following)
        for ns, count in profile:
            while current[0] < ns:
                current = next(following)
            self.assertLessEqual(count / current[1], 1.2 if count > 20 else 2)


class Axes(unittest.TestCase):
    """Scales, units and numbers as text."""

    def scale(self, low, high, choice="auto"):
        """Scale of an axis from low to high."""
        lines = figures.lines_of([result(latency(profile=[[low, 2], [high, 1]]))])
        return figures.time_scale(lines, choice)

    def test_auto(self):
        self.assertEqual(self.scale(100, 1999), "linear")
        self.assertEqual(self.scale(100, 2000), "log")

    def test_choice(self):
        self.assertEqual(self.scale(100, 200, "log"), "log")
        self.assertEqual(self.scale(1, 10**9, "linear"), "linear")

    def test_no_logarithm_of_zero_or_less(self):
        for low in (0, -5):
            self.assertEqual(self.scale(low, 10**6, "log"), "linear")
            self.assertEqual(self.scale(low, 10**6), "linear")

    def test_units(self):
        for ns, name in (
            (0, "ns"),
            (999, "ns"),
            (1000, "µs"),
            (-2500, "µs"),
            (10**6, "ms"),
            (5 * 10**9, "s"),
        ):
            self.assertEqual(figures.unit_for(ns)[0], name)

    def test_share(self):
        for part, whole, text in (
            (0, 9, "0 %"),
            (1, 0, "–"),
            (1, 3, "33 %"),
            (1, 100000, "0.0010 %"),
            (1, 10001, "0.010 %"),
            (5, 5, "100 %"),
            (79999, 80000, "99.99 %"),
            (99, 100, "99 %"),
        ):
            self.assertEqual(figures.share(part, whole), text)

    def test_cost_text(self):
        for ns, text in (
            (0, "0.000 ns"),
            (41.3, "41.30 ns"),
            (1650, "1.650 µs"),
            (123456, "123.5 µs"),
        ):
            self.assertEqual(draw.cost_text(ns), text)


class Tags(HTMLParser):
    """Checks nesting, and collects ids, links and elements."""

    VOID = ("meta",)

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.names, self.outside = [], [], [], set(), []

    def look(self, name, attributes):
        """Record an element with its attributes."""
        self.names.add(name)
        for key, value in attributes:
            if key == "id":
                self.ids.append(value)
            if key in ("href", "xlink:href"):
                self.links.append(value)
            if key in ("src", "srcset", "data") or (key == "href" and not value.startswith("#")):
                self.outside.append(value)

    def handle_startendtag(self, name, attributes):
        self.look(name, attributes)

    def handle_starttag(self, name, attributes):
        self.look(name, attributes)
        if name not in self.VOID:
            self.open.append(name)

    def handle_endtag(self, name):
        assert self.open and self.open[-1] == name, f"</{name}> closes {self.open}"
        self.open.pop()


class Page(unittest.TestCase):
    """The HTML page."""

    def parsed(self, *made, compare=("label", "kernel", "load")):
        """(text, its Tags)."""
        text = page.page(figures.group(made), "Title <1>", compare)
        tags = Tags()
        tags.feed(text)
        tags.close()
        self.assertEqual(tags.open, [])
        return text, tags

    def test_is_self_contained_and_consistent(self):
        text, tags = self.parsed(
            result(),
            result(load="cpu", options={"length": 2}),
            result(cost("read", 10), cost("read", 11), tool="canbench-syscalls"),
            result(cost("read", 12), tool="canbench-syscalls", label="patched"),
        )
        self.assertEqual(tags.outside, [])
        self.assertNotIn("script", tags.names)
        self.assertEqual(len(tags.ids), len(set(tags.ids)), "an id occurs twice")
        for link in tags.links:
            self.assertIn(link.removeprefix("#"), tags.ids)
        for used in re.findall(r"url\(#([^)]*)\)", text):
            self.assertIn(used, tags.ids)
        self.assertNotRegex(text, r"@import|url\((?!#)")

    def test_markup_in_results_is_escaped(self):
        evil = '<script>alert("1")</script>&amp;'
        text, tags = self.parsed(
            result(
                latency(evil),
                label=evil,
                load=evil,
                tool=evil,
                options={evil: evil},
                counts={evil: 1},
            ),
            result(cost(evil, 1), label=evil + "2", system=system(evil)),
        )
        self.assertNotIn("script", tags.names)
        self.assertNotIn("<script", text)
        self.assertIn("&lt;script&gt;", text)

    def test_numbers_of_the_table(self):
        profile = [[100_000, 5], [112_300, 3], [1_500_000, 1]]
        text, _ = self.parsed(result(latency(profile=profile), counts={"sent": 8, "lost": 3}))
        self.assertIn("Latency in µs", text)
        for value in ("100.0", "112.3", "1\u00a0500.0", "3 (38 %)"):
            self.assertIn(f">{value}</td>", text)

    def test_options_and_cut_short(self):
        text, _ = self.parsed(
            result(options={"period": "10ms", "ids": ["100", "1FF"]}, complete=False)
        )
        self.assertIn("<dt>period</dt><dd>10ms</dd>", text)
        self.assertIn("<dt>ids</dt><dd>100, 1FF</dd>", text)
        self.assertIn("cut short", text)

    def test_drawings_use_the_colours_of_the_page(self):
        text, _ = self.parsed(result())
        figure = text[text.index("<figure") : text.index("</figure")]
        self.assertNotRegex(figure, r'style="[^"]*#[0-9a-f]{6}')
        style = page.STYLE.read_text(encoding="utf-8")
        for index, code in enumerate(draw.COLOURS):
            self.assertIn(f"var(--c{index})" if index == 0 else f"--c{index}", figure + style)
            self.assertIn(f"--c{index}: {code}", style)

    def test_nothing_measured(self):
        text, _ = self.parsed(result(empty()))
        self.assertIn("Nothing was measured.", text)


class Drawing(unittest.TestCase):
    """Drawing works for figures of any shape."""

    def drawn(self, *series, **options):
        """The figure as SVG and PNG."""
        (one,) = figures.group([result(*series)])
        (figure,) = figures.group_figures(one)
        self.assertTrue(draw.png(figure, **options).startswith(b"\x89PNG"))
        return draw.svg(figure, text_as_paths=False, **options)

    def test_one_latency(self):
        for axis in ("auto", "linear", "log"):
            self.drawn(latency(profile=[[5000, 1]]), time_axis=axis)

    def test_zero_and_negative(self):
        self.drawn(latency(profile=[[-5, 3], [0, 2], [10**10, 1]], mean_ns=0), time_axis="log")

    def test_axis_labels(self):
        svg = self.drawn(latency(profile=[[100_000, 10], [3_000_000, 1]]))
        self.assertIn("latency [ms], logarithmic", svg)
        self.assertIn("latency [µs]", self.drawn(latency(profile=[[100_000, 10], [150_000, 1]])))

    def test_text_is_not_parsed_as_mathematics(self):
        self.assertIn("$x^2$ _a_", self.drawn(latency("$x^2$ _a_")))

    def test_costs_of_zero(self):
        self.drawn(cost("read", 0))


class Command(unittest.TestCase):
    """The whole program."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def run_it(self, *args):
        """Run canreport in the directory."""
        command = [sys.executable, str(PROGRAM), *map(str, args)]
        return subprocess.run(
            command, cwd=self.directory, capture_output=True, text=True, check=False
        )

    def put(self, name, content):
        """Write a file."""
        text = content if isinstance(content, str) else json.dumps(content)
        (self.directory / name).write_text(text)

    def files(self):
        """Names of all files in the directory."""
        return sorted(
            str(p.relative_to(self.directory)) for p in self.directory.rglob("*") if p.is_file()
        )

    def test_page_and_plots(self):
        self.put("1.json", document(label="a/b c"))
        self.put("2.json", document(cost("read", 5), label="../x"))
        done = self.run_it("-o", "r.html", "-p", "deep/plots", "1.json", "2.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        stems = ["deep/plots/a_b_c_6.12.1_none_profile1", "deep/plots/x_6.12.1_none_cost"]
        expected = [
            "1.json",
            "2.json",
            "r.html",
            *(s + end for s in stems for end in (".png", ".svg")),
        ]
        self.assertEqual(self.files(), sorted(expected))
        self.assertTrue((self.directory / "r.html").read_text().endswith("</html>\n"))

    def test_page_to_standard_output(self):
        self.put("1.json", document())
        done = self.run_it("-o", "-", "1.json")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith("<!DOCTYPE html>"))
        self.assertEqual(self.files(), ["1.json"])

    def test_with_an_invalid_file_nothing_is_written(self):
        self.put("good.json", document())
        self.put("bad.json", document(version=3))
        self.put("broken.json", "{")
        (self.directory / "r.html").write_text("before")
        done = self.run_it("-o", "r.html", "-p", "plots", "good.json", "bad.json", "broken.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("bad.json: $.version", done.stderr)
        self.assertIn("broken.json: not JSON", done.stderr)
        self.assertNotIn("good.json", done.stderr)
        self.assertEqual((self.directory / "r.html").read_text(), "before")
        self.assertFalse((self.directory / "plots").exists())

    def test_usage(self):
        self.put("1.json", document())
        for args in (
            (),
            ("1.json",),
            ("-o", "r", "-c", "kernels", "1.json"),
            ("-t", "x", "-o", "r", "1.json"),
        ):
            done = self.run_it(*args)
            self.assertEqual(done.returncode, 2, args)
            self.assertIn("usage: canreport", done.stderr)
        self.assertEqual(self.files(), ["1.json"])

    def test_a_path_that_cannot_be_written(self):
        self.put("1.json", document())
        done = self.run_it("-o", "missing/r.html", "1.json")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, "canreport: missing/r.html: No such file or directory\n")

    def test_a_link_is_kept(self):
        self.put("1.json", document())
        (self.directory / "link.html").symlink_to("r.html")
        self.assertEqual(self.run_it("-o", "link.html", "1.json").returncode, 0)
        self.assertTrue((self.directory / "link.html").is_symlink())
        self.assertTrue((self.directory / "r.html").read_text().startswith("<!DOCTYPE html>"))

    def test_a_pipe_is_written_to(self):
        self.put("1.json", document(series=[]))
        os.mkfifo(self.directory / "pipe")
        reader = os.open(self.directory / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.assertEqual(self.run_it("-o", "pipe", "1.json").returncode, 0)
        self.assertTrue((self.directory / "pipe").is_fifo())
        self.assertTrue(os.read(reader, 100).startswith(b"<!DOCTYPE html>"))

    def test_help(self):
        done = self.run_it("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("--output", "--plots", "--time-axis", "--compare", "--title", "exit status"):
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    unittest.main()
