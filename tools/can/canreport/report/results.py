# SPDX-License-Identifier: GPL-2.0-only
"""Reading results: JSON files in, checked Result objects out, or what is wrong with which file.

A result that is accepted here cannot surprise the rooms behind: numbers are finite, profiles
descend, names are not empty.
"""

import itertools
import json
import math
from dataclasses import dataclass
from pathlib import Path

import jsonschema

SCHEMA = Path(__file__).resolve().parents[2] / "result.schema.json"

# Of a broken file the first few problems say enough.
MAX_PROBLEMS = 5
MAX_MESSAGE = 160


class BadResult(Exception):
    """The text is not a result; the message says why."""


@dataclass(frozen=True)
class Latency:
    """A series of latencies; profile is a tuple of (ns, frames that took at least so long).

    Without a latency (count 0) the figures are None.
    """

    name: str
    count: int
    min_ns: int
    median_ns: int
    p99_ns: int
    p999_ns: int
    max_ns: int
    mean_ns: float
    profile: tuple


@dataclass(frozen=True)
class Cost:
    """A series that is one figure: what each of so many frames cost."""

    name: str
    frames: int
    ns_per_frame: float


@dataclass(frozen=True)
class Result:
    """One run of one program."""

    source: str
    tool: str
    label: str
    load: str
    kernel: str
    build: str
    machine: str
    cpus: int
    started: str
    complete: bool
    options: dict
    counts: dict
    latencies: tuple
    costs: tuple

    @property
    def sent(self):
        return self.counts.get("sent", 0)

    @property
    def lost(self):
        """Frames lost, None where the program does not count them."""
        return self.counts.get("lost")


def _unique(pairs):
    found = {}
    for name, value in pairs:
        if name in found:
            raise BadResult(f'"{name}" occurs twice in one object')
        found[name] = value
    return found


def _constant(text):
    raise BadResult(f"{text} is not a number of JSON")


def _real(text):
    value = float(text)
    if not math.isfinite(value):
        raise BadResult(f"{text} is too large a number")
    return value


def parse(data):
    """The JSON document in the bytes; BadResult if it is none."""
    try:
        text = data.decode("utf-8")
        return json.loads(
            text, object_pairs_hook=_unique, parse_constant=_constant, parse_float=_real
        )
    except UnicodeDecodeError as error:
        raise BadResult(f"byte {error.start} is not UTF-8") from error
    except json.JSONDecodeError as error:
        if not text.strip():
            raise BadResult("the file is empty") from error
        where = f"line {error.lineno}, column {error.colno}"
        raise BadResult(f"not JSON: {where}: {error.msg}") from error
    except RecursionError as error:
        raise BadResult("nested too deeply") from error
    except ValueError as error:
        # an integer with more digits than Python converts
        raise BadResult(str(error)) from error


def validator():
    """The checker of the schema that is kept beside the programs."""
    with open(SCHEMA, encoding="utf-8") as file:
        return jsonschema.Draft202012Validator(json.load(file))


def _shorten(message):
    return message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 1] + "…"


def schema_problems(document, checker):
    """What the schema says against the document, as lines."""
    errors = sorted(checker.iter_errors(document), key=lambda error: error.json_path)
    return [_shorten(f"{error.json_path}: {error.message}") for error in errors[:MAX_PROBLEMS]]


def _ascends(values):
    return all(a < b for a, b in itertools.pairwise(values))


def latency_problems(series):
    """What a schema cannot say of a latency series."""
    if not series["count"]:
        return
    profile = series["profile"]
    order = [series[key] for key in ("min_ns", "median_ns", "p99_ns", "p999_ns", "max_ns")]
    if order != sorted(order):
        yield "the percentiles do not ascend from min_ns to max_ns"
    if profile[0][1] != series["count"]:
        yield f"the profile begins with {profile[0][1]} frames, but count is {series['count']}"
    if not _ascends([ns for ns, _ in profile]) or not _ascends([-n for _, n in profile]):
        yield "the profile does not ascend in time and descend in number"


def problems(document, checker):
    """Everything that is wrong with a document; an empty list if it is a result."""
    found = schema_problems(document, checker)
    if found:
        return found
    for index, series in enumerate(document["series"]):
        if series["kind"] == "latency":
            found += [f"$.series[{index}]: {problem}" for problem in latency_problems(series)]
    return found[:MAX_PROBLEMS]


def _latency(series):
    values = {key: value for key, value in series.items() if key not in ("kind", "profile")}
    return Latency(profile=tuple((ns, count) for ns, count in series["profile"]), **values)


def _cost(series):
    return Cost(series["name"], series["frames"], series["ns_per_frame"])


def result_of(document, source):
    """The Result of a document without problems."""
    system = document["system"]
    series = document["series"]
    return Result(
        source=source,
        tool=document["tool"],
        label=document["label"],
        load=document["load"],
        kernel=system["kernel"],
        build=system["version"],
        machine=system["machine"],
        cpus=system["cpus"],
        started=document["started"],
        complete=document["complete"],
        options=document["options"],
        counts=document["counts"],
        latencies=tuple(_latency(s) for s in series if s["kind"] == "latency"),
        costs=tuple(_cost(s) for s in series if s["kind"] == "cost"),
    )


def read(paths):
    """(results, complaints): every file is looked at, each complaint names its file."""
    checker = validator()
    found, complaints = [], []
    for path in paths:
        try:
            document = parse(Path(path).read_bytes())
        except OSError as error:
            complaints.append(f"{path}: {error.strerror}")
            continue
        except BadResult as error:
            complaints.append(f"{path}: {error}")
            continue
        wrong = problems(document, checker)
        complaints += [f"{path}: {problem}" for problem in wrong]
        if not wrong:
            found.append(result_of(document, str(path)))
    return found, complaints
