#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Show the results of the benchmarks profile and express-cost: instructions per frame, by purpose
and by function.

RUNS has a directory KIND-NUMBER for each run, as scripts/guest/bench writes them, with the parts
that the plugin has counted (counts.0, counts.1, ...) and the addresses of functions (kallsyms).
"""
import argparse
import bisect
import collections
import json
import re
from pathlib import Path

from table import COMPARED, simple_table

FUNCTIONS = 12

# The purpose of a function: the first pattern that fits "MODULE FUNCTION"; built-in functions
# have no module
PURPOSES = [(name, re.compile(pattern)) for name, pattern in (
    ("user space", r" user$"),
    ("system call", (r" (entry_|do_syscall|syscall_|__x64_sys|ksys_|vfs_|sock_read|sock_recv|.*fdget|"
     r"_copy_to_iter|simple_copy|copyout|__check_object|.*recvmsg)")),
    ("clock, waiting for SPI", r"cansim_mcp251x mcp251x_spi_transfer_one| ktime_get$| read_tsc$"),
    ("copying", r"^cansim_bare "),
    ("simulator", r"^cansim"),
    ("gateway", r"^can_gw "),
    ("SPI core", r" (__)?spi_"),
    ("driver", r"^(mcp251x|sja1000|mscan|mpc5xxx_can|can_dev) "),
    ("protocol", r"^(can|can_raw) "),
    ("network core", (r" (.*skb|.*netif_|.*napi|net_rx|net_tx|.*datagram|sock_|__sock|process_backlog|enqueue_to_backlog|"
     r"consume_|.*_softirq|handle_softirqs|__local_bh|netlink|deliver_|dev_)")),
    ("threads", (r" (.*sched|.*_task|enqueue_|dequeue_|psi_|try_to_wake|ttwu|update_|__switch_to|__update|.*_rt_|.*_rq|"
     r"cpupri|plist_|pick_|set_next|put_prev|prepare_to_|finish_|__wake|wake_|kthread|record_times|rcu_note|"
     r"resched|native_sched|__rb|rb_)")),
    ("interrupts, timers", (r" (?!_raw_)(.*hrtimer|tick_|.*irq_enter|.*irq_exit|.*irq|.*_irq_|irqentry|sysvec|asm_|timerqueue|"
     r"clockevents|lapic|.*apic|.*idle|cpuidle|ktime_|ct_|handle_|note_interrupt|.*timer|menu_|sched_clock|"
     r"error_entry|error_return)")),
    ("locks, memory, lists", r" .*"),
)]


def symbols(path):
    """Return sorted addresses of functions, and their "MODULE NAME"."""
    found = []
    for line in path.read_text().splitlines():
        address, kind, name, *module = line.split()
        if kind in "tTwW":
            found.append((int(address, 16), f"{module[0].strip('[]') if module else ''} {name}"))
    found.sort()
    return [address for address, _ in found], [name for _, name in found]


def name_at(address, addresses, names):
    """Return the "MODULE NAME" of an address that a plugin has written."""
    return names[bisect.bisect(addresses, address) - 1] if address else " user"


def count(run, part, addresses, names):
    """Return a counter of instructions by "MODULE NAME"."""
    counts = collections.Counter()
    for line in (run / f"counts.{part}").read_text().splitlines():
        address, number = line.split()
        counts[name_at(int(address, 16), addresses, names)] += int(number)
    return counts


def per_frame(run):
    """Return {case: {"MODULE NAME": instructions per frame}}."""
    labels = [json.loads(path.read_text())["label"] for path in sorted(run.glob("*.json"))]
    runs = [re.fullmatch(r"(.+), (\d+) frames", label) for label in labels]
    runs = [(found[1], int(found[2])) for found in runs if found]
    addresses, names = symbols(run / "kallsyms")
    cases = {}
    # the part before a mark ends with its number: those between two runs are not used
    for i in range(0, len(runs), 2):
        (case, few), (_, many) = runs[i:i + 2]
        more = count(run, 2 * i + 3, addresses, names)
        more.subtract(count(run, 2 * i + 1, addresses, names))
        cases[case] = {name: number / (many - few) for name, number in more.items()}
    return cases


def purpose(name):
    return next(purpose for purpose, pattern in PURPOSES if pattern.search(name))


def by_purpose(functions):
    sums = collections.Counter()
    for name, number in functions.items():
        sums[purpose(name)] += number
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("runs", type=Path)
    args = parser.parse_args()
    results = {kind: per_frame(args.runs / f"{kind}-1") for kind in COMPARED if (args.runs / f"{kind}-1").is_dir()}
    columns = [(case, kind) for case in results["patched"] for kind in results]
    sums = [by_purpose(results[kind][case]) for case, kind in columns]
    rows = [["purpose", *(f"{case}, {COMPARED[kind]}" for case, kind in columns)]]
    for name, _ in PURPOSES:
        if any(round(column[name]) for column in sums):
            rows.append([name, *(f"{column[name]:.0f}" for column in sums)])
    rows.append(["all", *(f"{sum(column.values()):.0f}" for column in sums)])
    print("\n".join(simple_table(rows)))
    for case, functions in results["patched"].items():
        print(f"\n{case}: functions with the most instructions, patched\n")
        largest = collections.Counter(functions).most_common(FUNCTIONS)
        print("\n".join(simple_table([["function", "instructions", "purpose"],
                                      *([name.strip(), f"{number:.0f}", purpose(name)] for name, number in largest)])))


if __name__ == "__main__":
    main()
