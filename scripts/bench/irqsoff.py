#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Show the results of the benchmark irqsoff: the longest sections with interrupts off.

RUNS has a directory KIND-NUMBER for each run, as scripts/guest/bench writes them. Only sections
between the first and the last interrupt of the controller count: before and after, buses and
load are set up and removed.
"""
import argparse
import json
import re
import subprocess
from pathlib import Path

from table import simple_table

EVENT = re.compile(r"\[\d+\]\s+(?:\S+\s+)?(?P<time>\d+\.\d+):\s+(?P<name>\w+):\s+(?P<rest>.*)")
CALLER = re.compile(r"caller=(\S+?)(?:\+0x\S*)? parent=(\S+?)(?:\+0x\S*)?(?:\s|$)")
CONTROLLER = re.compile(r"name=(cbl|spi)")
SIMULATOR = re.compile(r"can_sim_|mcp251x_spi_|mcp_|sja1000_dev_|mscan_dev_")
HOLDERS = 4


class Section:
    """A section with interrupts off, whose handlers are counted by name."""

    def __init__(self, begin, where):
        self.begin, self.where = begin, where
        self.handlers, self.open = {}, []

    def enter(self, name, time):
        self.open.append((name, time))

    def leave(self, time):
        if self.open:
            name, begin = self.open.pop()
            self.handlers[name] = self.handlers.get(name, 0) + time - begin

    def end(self, time, where):
        self.length = time - self.begin
        self.simulator = sum(length for name, length in self.handlers.items() if SIMULATOR.match(name))
        self.holder = where
        if 2 * sum(self.handlers.values()) >= self.length:
            self.holder = max(self.handlers, key=self.handlers.get)
        elif not self.handlers and SIMULATOR.match(where):
            self.simulator = self.length


def events(path):
    """Yield (time in us, event, rest) of a file of trace-cmd."""
    report = subprocess.run(["trace-cmd", "report", "-t", path], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True, check=True)
    for line in report.stdout.splitlines():
        event = EVENT.search(line)
        if event:
            yield float(event["time"]) * 1e6, event["name"], event["rest"]


def where_of(rest):
    called = CALLER.search(rest)
    return called[2] if called else rest


def sections(path):
    """Return the sections while the controller was in use."""
    found, current, first, last = [], None, None, None
    for time, name, rest in events(path):
        if name == "irq_handler_entry" and CONTROLLER.search(rest):
            first, last = first or time, time
        if name == "irq_disable":
            current = Section(time, where_of(rest))
        elif current is None:
            continue
        elif name == "irq_enable":
            current.end(time, where_of(rest))
            found.append(current)
            current = None
        elif name == "hrtimer_expire_entry":
            current.enter(re.search(r"function=(\S+?)(?:/|\+|\s|$)", rest)[1], time)
        elif name == "irq_handler_entry":
            what = re.search(r"name=(\S+)", rest)[1]
            current.enter("handler of the controller" if CONTROLLER.search(rest) else what, time)
        elif name.endswith("_exit"):
            current.leave(time)
    if first is None:
        raise SystemExit(f"{path.name}: there was no interrupt of a controller")
    return [section for section in found if first <= section.begin <= last]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("runs", type=Path)
    args = parser.parse_args()
    rows = [["controller, load", "holder", "sections", "longest us", "of it simulator", "all us"]]
    for path in sorted(args.runs.glob("patched-1/*.dat")):
        label = json.loads(path.with_suffix(".json").read_text())["label"]
        holders = {}
        for section in sections(path):
            holders.setdefault(section.holder, []).append(section)
        longest = sorted(holders.items(), key=lambda item: -max(s.length for s in item[1]))
        for holder, held in longest[:HOLDERS]:
            worst = max(held, key=lambda section: section.length)
            rows.append([label, holder, str(len(held)), f"{worst.length:.0f}",
                         f"{worst.simulator:.0f}", f"{sum(s.length for s in held):.0f}"])
    print("\n".join(simple_table(rows)))


if __name__ == "__main__":
    main()
