"""How Chakra's linker links, in plain Python and loops: what the queries of its set must give.

Written from a description of its behaviour. Takes the documents, gives nodes by their new ids.
"""

from __future__ import annotations

from typing import Any

_LAUNCHES = {"cudaLaunchKernel", "cudaMemcpyAsync"}  # those the random programs call
Event = dict[str, Any]
Node = dict[str, Any]


def linked(host: dict[str, Any], device: dict[str, Any]) -> list[Node]:
    """Nodes with name, parent, ts, exclusive and inter_thread, in the order of ids."""
    events = sorted(
        (event for event in device["traceEvents"] if event["ph"] == "X"), key=lambda e: e["ts"]
    )
    ops = [
        event
        for event in events
        if event["cat"] in ("cpu_op", "user_annotation") and "ProfilerStep" not in event["name"]
    ]
    exclusive = _exclusive(ops)
    waits = _waits(ops)
    groups = _groups(events, ops)
    by_function = {op["args"].get("Record function id"): op for op in ops}
    made: list[Node] = []
    number: dict[int, int] = {}
    of_function: dict[int, int] = {}
    for node in sorted(host["nodes"], key=lambda each: each["id"]):
        function = next(a["value"] for a in node["attrs"] if a["name"] == "rf_id")
        number[node["id"]] = len(made)
        one: Node = {"name": node["name"], "parent": node["ctrl_deps"], "is_device": False}
        made.append(one)
        op = by_function.get(function)
        if op is None:
            continue
        one["ts"], one["exclusive"] = op["ts"], exclusive[id(op)]
        one["inter_thread"] = of_function.get(waits[id(op)] or -1)
        of_function[function] = number[node["id"]]
        for work in groups.get(op["args"]["External id"], ()):
            made.append(
                {"name": work["name"], "parent": node["id"], "is_device": True, "ts": work["ts"],
                 "exclusive": work["dur"], "inter_thread": one["inter_thread"]}
            )  # fmt: skip
    for one in made:
        one["parent"] = number[one["parent"]]
    return made


def _threads(ops: list[Event]) -> dict[Any, list[Event]]:
    found: dict[Any, list[Event]] = {}
    for op in ops:
        found.setdefault(op["tid"], []).append(op)
    return found


def _exclusive(ops: list[Event]) -> dict[int, float]:
    """The duration less the merged pieces of what lies inside, one after the other."""
    found = {}
    for thread in _threads(ops).values():
        order = sorted(thread, key=lambda op: (op["ts"], op["dur"]))
        for n, op in enumerate(order):
            end = op["ts"] + op["dur"]
            pieces: list[list[float]] = []
            for other in order[n + 1 :]:
                if other["ts"] > end:
                    break
                other_end = other["ts"] + other["dur"]
                if other_end <= end:
                    if pieces and pieces[-1][1] >= other["ts"]:
                        pieces[-1][1] = max(pieces[-1][1], other_end)
                    else:
                        pieces.append([other["ts"], other_end])
            left = op["dur"]
            for piece in pieces:
                left -= piece[1] - piece[0]
            found[id(op)] = left
    return found


def _waits(ops: list[Event]) -> dict[int, int | None]:
    """For each operator the function id of what its group waits for."""
    found: dict[int, int | None] = {}
    threads = _threads(ops)
    for tid, thread in threads.items():
        before = None
        current: int | None = None
        for op in thread:
            if before is None or op["ts"] - before["ts"] - before["dur"] > 1000:
                earlier = [
                    each
                    for other, others in threads.items()
                    if other != tid
                    for each in others
                    if each["ts"] < op["ts"]
                ]
                last = max(earlier, key=lambda each: each["ts"], default=None)
                current = last["args"].get("Record function id") if last else None
            found[id(op)] = current
            before = op
    return found


def _groups(events: list[Event], ops: list[Event]) -> dict[int, list[Event]]:
    """Device work by the External id of the operator it hangs under."""
    calls = {event["args"]["correlation"]: event for event in events if event["name"] in _LAUNCHES}
    found: dict[int, list[Event]] = {}
    for work in events:
        call = calls.get(work["args"].get("correlation", -1))
        if work["cat"] not in ("kernel", "gpu_memcpy") or call is None:
            continue
        before = [op for op in reversed(ops) if op["ts"] < call["ts"] and op["tid"] == call["tid"]]
        same = [op for op in before if op["args"]["External id"] == work["args"]["External id"]]
        for op in (same or before)[:1]:
            found.setdefault(op["args"]["External id"], []).append(work)
    return found
