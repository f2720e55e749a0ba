# SPDX-License-Identifier: GPL-2.0-only
"""Read JSON files, and convert them to Result objects or to error messages.

Other modules can rely on an accepted result: numbers are finite, profiles descend, names are not
empty.
"""

import itertools
import json
import math
from dataclasses import dataclass
from pathlib import Path

import jsonschema

SCHEMA = Path(__file__).resolve().parents[2] / "result.schema.json"

# Maximum number and length of messages per file
MAX_PROBLEMS = 5
MAX_MESSAGE = 160


class BadResult(Exception):
    """The text is not a valid result; the message is the reason."""


@dataclass(frozen=True)
class Latency:
    """A series of latencies; profile is a tuple of (ns, frames with at least this latency).

    The figures are None if the series is empty (count 0).
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
    """A series with one figure: the cost per frame."""

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
        """Number of lost frames, None if the program does not count them."""
        return self.counts.get("lost")


def _unique(pairs):
    found = {}
    for name, value in pairs:
        if name in found:
            raise BadResult(f'"{name}" occurs twice in one object')
        found[name] = value
    return found


def _constant(text):
    raise BadResult(f"{text} is not a valid JSON number")


def _real(text):
    value = float(text)
    if not math.isfinite(value):
        raise BadResult(f"number {text} is too large")
    return value


def parse(data):
    """Parse the bytes as JSON; raises BadResult."""
    try:
        text = data.decode("utf-8")
        return json.loads(
            text, object_pairs_hook=_unique, parse_constant=_constant, parse_float=_real
        )
    except UnicodeDecodeError as error:
        raise BadResult(f"byte {error.start} is not UTF-8") from error
    except json.JSONDecodeError as error:
        if not text.strip():
            raise BadResult("file is empty") from error
        where = f"line {error.lineno}, column {error.colno}"
        raise BadResult(f"not JSON: {where}: {error.msg}") from error
    except RecursionError as error:
        raise BadResult("nested too deeply") from error
    except ValueError as error:
        # an integer with more digits than Python converts
        raise BadResult(str(error)) from error


def validator():
    """Validator for the schema of the programs."""
    with open(SCHEMA, encoding="utf-8") as file:
        return jsonschema.Draft202012Validator(json.load(file))


def _shorten(message):
    return message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 1] + "…"


def schema_problems(document, checker):
    """Violations of the schema, as lines."""
    errors = sorted(checker.iter_errors(document), key=lambda error: error.json_path)
    return [_shorten(f"{error.json_path}: {error.message}") for error in errors[:MAX_PROBLEMS]]


def _ascends(values):
    return all(a < b for a, b in itertools.pairwise(values))


def latency_problems(series):
    """Errors in a latency series that the schema cannot detect."""
    if not series["count"]:
        return
    profile = series["profile"]
    order = [series[key] for key in ("min_ns", "median_ns", "p99_ns", "p999_ns", "max_ns")]
    if order != sorted(order):
        yield "percentiles do not ascend from min_ns to max_ns"
    if profile[0][1] != series["count"]:
        yield f"profile begins with {profile[0][1]} frames, but count is {series['count']}"
    if not _ascends([ns for ns, _ in profile]) or not _ascends([-n for _, n in profile]):
        yield "profile does not ascend in time and descend in number"


def problems(document, checker):
    """All errors in a document; an empty list if it is a valid result."""
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
    """Convert a valid document to a Result."""
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
    """Read all files. Returns (results, errors); each error names its file."""
    checker = validator()
    found, errors = [], []
    for path in paths:
        try:
            document = parse(Path(path).read_bytes())
        except OSError as error:
            errors.append(f"{path}: {error.strerror}")
            continue
        except BadResult as error:
            errors.append(f"{path}: {error}")
            continue
        wrong = problems(document, checker)
        errors += [f"{path}: {problem}" for problem in wrong]
        if not wrong:
            found.append(result_of(document, str(path)))
    return found, errors
