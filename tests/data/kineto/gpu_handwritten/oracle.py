"""Compute `expected.json` from `trace.json` by brute force, with nothing but Python integers.

Busy times are counted nanosecond by nanosecond in a bytearray, parents are found by looking back
at every earlier slice: slow and plain on purpose. The definitions are in ../../README.md.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

Event = dict[str, Any]
Row = dict[str, Any]

KINDS = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}
CALLS = ("cuda_runtime", "cuda_driver")


def nanoseconds(value: Decimal | int) -> int:
    """Turn microseconds into nanoseconds; anything finer is refused."""
    scaled = Decimal(value) * 1000
    whole = int(scaled)
    if whole != scaled:
        message = f"{value} us is no whole number of nanoseconds"
        raise ValueError(message)
    return whole


def start(event: Event) -> int:
    """Tell when the event began."""
    return nanoseconds(event["ts"])


def length(event: Event) -> int:
    """Tell the duration, a negative one counting as 0."""
    return max(0, nanoseconds(event["dur"]))


def end(event: Event) -> int:
    """Tell when the event ended."""
    return start(event) + length(event)


def covered(*groups: list[Event]) -> int:
    """Count the nanoseconds at which every group has some event running."""
    last = max((end(e) for group in groups for e in group), default=0)
    marks = bytearray(last)
    for bit, group in enumerate(groups):
        for event in group:
            for at in range(start(event), end(event)):
                marks[at] |= 1 << bit
    return sum(mark == (1 << len(groups)) - 1 for mark in marks)


def is_comm(event: Event) -> bool:
    """Tell whether a kernel is one of NCCL or RCCL."""
    name = event["name"].lower()
    return event["cat"] == "kernel" and ("nccl" in name or "rccl" in name)


def by_kernel(kernels: list[Event]) -> dict[str, Row]:
    """Count and sum the kernels of each name."""
    rows: dict[str, Row] = {}
    for e in kernels:
        row = rows.setdefault(e["name"], {"n": 0, "sum_ns": 0, "sum_raw_ns": 0})
        row["n"] += 1
        row["sum_ns"] += length(e)
        row["sum_raw_ns"] += nanoseconds(e["dur"])
    return dict(sorted(rows.items()))


def device(ops: list[Event]) -> Row:
    """Sum up the kernels, copies and sets of one device."""
    kernels = [e for e in ops if e["cat"] == "kernel"]
    comm = [e for e in kernels if is_comm(e)]
    compute = [e for e in kernels if not is_comm(e)]
    moved = [e for e in ops if e["cat"] != "kernel"]
    streams = sorted({e["args"]["stream"] for e in ops})
    return {
        "n": dict(sorted(Counter(KINDS[e["cat"]] for e in ops).items())),
        "first_ns": min(start(e) for e in ops),
        "last_ns": max(end(e) for e in ops),
        "span_ns": max(end(e) for e in ops) - min(start(e) for e in ops),
        "busy_ns": covered(ops),
        "sum_dur_ns": sum(length(e) for e in ops),
        "sum_dur_raw_ns": sum(nanoseconds(e["dur"]) for e in ops),
        "compute_busy_ns": covered(compute),
        "comm_busy_ns": covered(comm),
        "memory_busy_ns": covered(moved),
        "compute_comm_overlap_ns": covered(compute, comm),
        "compute_memory_overlap_ns": covered(compute, moved),
        "memcpy_bytes": sum(e["args"]["bytes"] for e in ops if e["cat"] == "gpu_memcpy"),
        "stream_busy_ns": {
            str(s): covered([e for e in ops if e["args"]["stream"] == s]) for s in streams
        },
        "kernels": by_kernel(kernels),
    }


def in_order(slices: list[Event]) -> list[Event]:
    """Sort by start, the longer first, then by place in the file (the sort is stable)."""
    return sorted(slices, key=lambda e: (start(e), -length(e)))


def holds(outer: Event, inner: Event) -> bool:
    """Tell whether an earlier slice ends late enough to be the parent of a later one."""
    return 2 * end(outer) >= 2 * end(inner) + (length(inner) == 0)


def nest(track: list[Event]) -> list[Row]:
    """Find depth and parent of every slice of one track."""
    rows: list[Row] = []
    slices = in_order(track)
    for i, event in enumerate(slices):
        found = next((j for j in range(i - 1, -1, -1) if holds(slices[j], event)), None)
        row = {"ts_ns": start(event), "dur_ns": nanoseconds(event["dur"]), "name": event["name"]}
        row["depth"] = 0 if found is None else rows[found]["depth"] + 1
        row["parent"] = None if found is None else rows[found]["name"]
        row["parent_ts_ns"] = None if found is None else rows[found]["ts_ns"]
        rows.append(row)
    return rows


def operator_of(launch: Event, track: list[Event]) -> str | None:
    """Name the innermost cpu_op of the launch's thread that contains the launch."""
    slices = in_order(track)
    place = next(i for i, e in enumerate(slices) if e is launch)
    names = [e["name"] for e in slices[:place] if e["cat"] == "cpu_op" and holds(e, launch)]
    return names[-1] if names else None


def pairs(events: list[Event]) -> list[Row]:
    """Match B with E on each thread, innermost first."""
    rows: list[Row] = []
    stacks: dict[tuple[object, object], list[Row]] = defaultdict(list)
    for event in events:
        stack = stacks[event["pid"], event["tid"]] if event["ph"] in "BE" else []
        if event["ph"] == "B":
            stack.append({"name": event["name"], "ts_ns": start(event), "depth": len(stack)})
        elif event["ph"] == "E":
            row = stack.pop()
            rows.append(row | {"dur_ns": start(event) - row["ts_ns"]})
    return sorted(rows, key=lambda row: int(row["ts_ns"]))


def flows(events: list[Event]) -> list[Row]:
    """Pair every start with every end of the same category and id."""
    return [
        {"cat": s["cat"], "id": s["id"], "from_ts_ns": start(s), "to_ts_ns": start(f)}
        for s in events
        for f in events
        if s["ph"] == "s" and f["ph"] == "f" and (s["cat"], s["id"]) == (f["cat"], f["id"])
    ]


def asynchronous(events: list[Event]) -> list[Row]:
    """Pair every b with the e of the same category, id and name; no two are open at once here."""
    return [
        {"id": b["id"], "name": b["name"], "ts_ns": start(b), "dur_ns": start(e) - start(b)}
        for b in events
        for e in events
        if b["ph"] == "b" and e["ph"] == "e"
        if (b["cat"], b["id"], b["name"]) == (e["cat"], e["id"], e["name"])
    ]


def brief(event: Event) -> Row:
    """Name one event."""
    return {"name": event["name"], "ts_ns": start(event)}


def expected(events: list[Event]) -> Row:
    """Compute everything."""
    slices = [e for e in events if e["ph"] == "X"]
    ops = [e for e in slices if e.get("cat") in KINDS]
    calls = [e for e in slices if e.get("cat") in CALLS and "correlation" in e["args"]]
    links = [
        (c, o)
        for c in calls
        for o in ops
        if o["args"].get("correlation") == c["args"]["correlation"]
    ]
    idle = [c for c in calls if not any(c is linked for linked, _ in links)]
    launches = [c for c in calls if "sync" not in c["name"].lower().replace("async", "")]
    tracks: dict[tuple[object, object], list[Event]] = defaultdict(list)
    for event in slices:
        tracks[event["pid"], event["tid"]].append(event)
    return {
        "n_events": len(events),
        "n_by_ph": dict(sorted(Counter(e["ph"] for e in events).items())),
        "n_x_by_cat": dict(sorted(Counter(str(e.get("cat")) for e in slices).items())),
        "devices": {
            str(d): device([o for o in ops if o["args"]["device"] == d])
            for d in sorted({o["args"]["device"] for o in ops})
        },
        "links": [
            {"launch": c["name"], "launch_ts_ns": start(c), "op": o["name"], "op_ts_ns": start(o)}
            for c, o in links
        ],
        "launch_operators": [
            {"cpu_op": operator_of(c, tracks[c["pid"], c["tid"]])}
            | {"launch": c["name"], "launch_ts_ns": start(c)}
            for c in calls
        ],
        "orphans": {
            "ops_without_launch": [brief(o) for o in ops if not any(o is k for _, k in links)],
            "calls_without_op": [brief(c) for c in idle],
            "launches_without_op": [brief(c) for c in idle if any(c is k for k in launches)],
        },
        "nesting": [
            {"pid": pid, "tid": tid, "slices": nest(track)} for (pid, tid), track in tracks.items()
        ],
        "begin_end": pairs(events),
        "flows": flows(events),
        "async": asynchronous(events),
    }


def dump(value: object, indent: int = 0) -> str:
    """Write JSON with every innermost object on one line."""
    text = json.dumps(value, ensure_ascii=False)
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(isinstance(item, dict | list) for item in items):
        return text
    pad = "\n" + " " * (indent + 1)
    if isinstance(value, dict):
        rows = [
            f"{json.dumps(k, ensure_ascii=False)}: {dump(v, indent + 1)}" for k, v in value.items()
        ]
        return "{" + pad + ("," + pad).join(rows) + pad[:-1] + "}"
    return "[" + pad + ("," + pad).join(dump(item, indent + 1) for item in items) + pad[:-1] + "]"


def main() -> None:
    """Read the trace, write what is expected of it."""
    here = Path(__file__).parent
    text = (here / "trace.json").read_text(encoding="utf-8")
    result = expected(json.loads(text, parse_float=Decimal)["traceEvents"])
    (here / "expected.json").write_text(dump(result) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
