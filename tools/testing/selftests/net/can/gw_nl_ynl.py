#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The gateway's family by the class YnlFamily, which knows nothing of it but the
specification: one case of gw_nl_ynl.sh, in a namespace with the CAN interfaces
in0, in1 and out.
"""

import os
import socket
import sys


def load(directory):
    """The module that has YnlFamily; its path depends on the kernel."""
    sys.path.insert(0, directory)
    try:
        import pyynl.lib as ynl
    except ImportError:
        import lib as ynl
    return ynl


ynl = load(os.environ["YNL_DIR"])


def family():
    return ynl.YnlFamily(os.environ["SPEC"], schema="")


IN0, IN1, OUT = (socket.if_nametoindex(name) for name in ("in0", "in1", "out"))

TABLE = bytes((7 * i + 3) % 256 for i in range(256))


def checksums(last):
    indices = {"from": 1, "to": -2, "result": last}
    crc8 = dict(indices, init=1, final=2, table=TABLE, profile="16u8")
    crc8["profile-data"] = bytes(range(20))
    return {"xor-checksum": dict(indices, init=3), "crc8-checksum": crc8}


def full_rule(frames):
    """Everything that the specification has for rules of a kind."""
    operand, size = {
        "cc": ({"id": 0x123, "len": 7}, 8),
        "fd": ({"id": 0x80000123, "len": 12, "flags": 5}, 64),
        "xl": ({"flags": 1, "prio": 0x456, "vcid": 0x78, "sdt": 0x9A,
                "af": 0xBCDEF012}, 2048),
    }[frames]
    rule = {
        "name": "made by ynl", "source": IN0, "destination": OUT,
        "frames": frames, "flags": {"echo", "src-tstamp", "return"},
        "filter-id": 0x100, "filter-mask": 0x700, "hop-limit": 1,
        "uid": 1000 + size, **checksums(-1),
    }
    for number, op in enumerate(("and", "or", "xor", "set")):
        data = bytes((number + i) % 256 for i in range(size))
        rule[op] = dict(operand, data=data)
    return rule


def same(want, got):
    """All attributes of @want are in @got, which may have more."""
    for name, value in want.items():
        assert got.get(name) == value, f"{name}: {got.get(name)} != {value}"


def rejected(do, method, values, attribute=None):
    """A request is rejected, with an extack message and an attribute."""
    try:
        do(method, values)
    except ynl.NlError as err:
        extack = err.nl_msg.extack
        assert extack and extack.get("msg"), f"no message: {err}"
        if attribute:
            bad = extack.get("bad-attr") or extack.get("miss-type")
            assert str(bad).endswith(attribute), f"{attribute}: {extack}"
        return
    raise AssertionError(f"{method} {values} was accepted")


def names(gw):
    return [rule.get("name") for rule in gw.dump("rule-get", {})]


def notifications(gw):
    """Received notifications, as (name, attributes)."""
    gw.check_ntf()
    queue = gw.async_msg_queue
    while True:
        if isinstance(queue, list):
            if not queue:
                return
            msg = queue.pop(0)
        else:
            if queue.empty():
                return
            msg = queue.get()
        yield msg["name"], msg["msg"]


def case_rules():
    gw = family()
    handles = []
    for frames in ("cc", "fd", "xl"):
        rule = full_rule(frames)
        handle = gw.do("rule-add", rule)["handle"]
        got = gw.do("rule-get", {"handle": handle})
        same(rule, got)
        assert set(got["stats"]) == {"matched", "sent", "dropped", "deleted",
                                     "skipped"}, got["stats"]
        handles.append(handle)
    listed = [rule["handle"] for rule in gw.dump("rule-get", {})]
    assert listed == handles[::-1], listed
    assert len(gw.dump("rule-get", {"frames": "xl"})) == 1
    assert not gw.dump("rule-get", {"source": IN1})
    table = gw.do("table-get", {})
    assert table["rules"] == 3, table
    rule = {"handle": handles[0], "source": IN0, "destination": IN1}
    gw.do("rule-replace", rule)
    same(rule, gw.do("rule-get", {"handle": handles[0]}))
    same(rule, gw.do("rule-reset", {"handle": handles[0]}))
    for handle in handles:
        gw.do("rule-del", {"handle": handle})
    assert not gw.dump("rule-get", {})


def case_errors():
    gw = family()
    rule = {"source": IN0, "destination": OUT}
    generation = gw.do("table-get", {})["generation"]
    rejected(gw.do, "rule-add", {"source": IN0}, "destination")
    rejected(gw.do, "rule-add", dict(rule, destination=123456), "destination")
    rejected(gw.do, "rule-add", dict(rule, set={"af": 1}), ".set.af")
    rejected(gw.do, "rule-add", dict(rule, set={"data": bytes(7)}),
             ".set.data")
    rejected(gw.do, "rule-add", dict(rule, **{"xor-checksum": {
        "from": 0, "to": 8, "result": 0}}), ".xor-checksum.to")
    rejected(gw.do, "rule-get", {"handle": 4711}, "handle")
    rejected(gw.do, "transaction-commit", {"rules": 0})
    assert generation == gw.do("table-get", {})["generation"]


def case_transaction():
    gw, other = family(), family()
    rule = {"source": IN0, "destination": OUT}
    gw.do("rule-add", dict(rule, name="old"))
    gw.do("rule-add", dict(rule, name="stays", source=IN1))
    gw.do("transaction-begin", {"source": IN0})
    assert gw.do("rule-add", dict(rule, name="x")) is None
    assert gw.do("rule-add", dict(rule, name="y")) is None
    assert names(other) == ["stays", "old"], names(other)
    rejected(other.do, "transaction-commit", {"rules": 2})
    table = gw.do("transaction-commit", {"rules": 2})
    assert (table["rules"], table["source"]) == (2, IN0), table
    assert names(gw) == ["y", "x", "stays"], names(gw)
    gw.do("transaction-begin", {})
    gw.do("rule-add", dict(rule, name="z"))
    gw.do("transaction-abort", {})
    assert names(gw) == ["y", "x", "stays"], names(gw)
    gw.do("transaction-begin", {})
    gw.do("transaction-commit", {"rules": 0})
    assert not names(gw)


def case_notifications():
    listener, gw = family(), family()
    listener.ntf_subscribe("rules")
    rule = {"source": IN0, "destination": OUT, "name": "notified"}
    handle = gw.do("rule-add", rule)["handle"]
    gw.do("rule-replace", dict(rule, handle=handle, destination=IN1))
    gw.do("rule-del", {"handle": handle})
    gw.do("transaction-begin", {})
    gw.do("transaction-commit", {"rules": 0})
    generation = gw.do("table-get", {})["generation"]
    received = list(notifications(listener))
    kinds = [name for name, _ in received]
    assert kinds == ["rule-add-ntf", "rule-change-ntf", "rule-del-ntf",
                     "table-ntf"], kinds
    same(dict(rule, handle=handle), received[0][1])
    same({"handle": handle, "destination": IN1}, received[1][1])
    same({"handle": [handle], "reason": "request"}, received[2][1])
    same({"rules": 0, "generation": generation}, received[3][1])


if __name__ == "__main__":
    globals()[f"case_{sys.argv[1]}"]()
