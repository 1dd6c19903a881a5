"""A second implementation of replays of graphs and TPU commands, in plain Python."""

from __future__ import annotations

import gzip
import heapq
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

import duckdb

#: Of several edges between two nodes, the first counts.
PREFERENCE = ["sync", "data", "inter_thread", "stream_order", "group_order", "thread_order"]


@dataclass
class Call:
    """A node of a graph; times in nanoseconds."""

    key: int
    order: int  # number in its file
    resource: str
    is_host: bool
    dur: int
    start: int | None
    whole: int
    thread: str = ""  # that the file names
    needs: list[tuple[str, int]] = field(default_factory=list)  # kind, key

    @property
    def is_elsewhere(self) -> bool:
        """Whether it runs on a thread of gloo, and the file names the caller's."""
        return self.is_host and not self.resource


def of_host_trace(path: Path) -> list[Call]:
    """Reads an ET+ file of Chakra's linker."""
    document = json.loads(gzip.decompress(path.read_bytes()), parse_float=Decimal)
    calls = []
    for node in document["nodes"]:
        is_host = "stream" not in node
        tid = next(each["value"] for each in node["attrs"] if each["name"] == "tid")
        own = node.get("exclusive_dur" if is_host else "inclusive_dur")
        start = node.get("ts")
        thread = f"t{tid}" if is_host else f"s{node['stream']}"
        calls.append(
            Call(
                node["id"], node["id"], "" if _of_gloo(node["name"], is_host) else thread, is_host,
                0 if own is None else max(round(own * 1000), 0),
                None if start is None else round(start * 1000),
                round(node.get("inclusive_dur", 0) * 1000), thread, _needs(node),
            )
        )  # fmt: skip
    return calls


def _of_gloo(name: str, is_host: bool) -> bool:
    return is_host and name.startswith("gloo:")


def _needs(node: dict[str, Any]) -> list[tuple[str, int]]:
    needs = []
    for name, kind in (
        ("ctrl_deps", "control"), ("inter_thread_dep", "inter_thread"), ("sync_dep", "sync"),
    ):  # fmt: skip
        given = node.get(name)
        found = given if isinstance(given, list) else [] if given is None else [given]
        needs += [(kind, each) for each in found if each != node["id"]]
    return needs


def of_graph(connection: duckdb.DuckDBPyConnection, graph_id: int) -> list[Call]:
    """Reads the rows of a Chakra file or a linked graph."""
    kind = connection.execute("SELECT kind FROM graph WHERE id = ?", [graph_id]).fetchall()[0][0]
    calls = {}
    for key, number, thread, device, start, dur, own, attributes, name in connection.execute(
        "SELECT id, node_id, thread_id, device_kind, start_ns, dur_ns, exclusive_us, "
        "attributes_json, name FROM graph_node WHERE graph_id = ?",
        [graph_id],
    ).fetchall():
        is_host = device == "cpu"
        streams = [a["value"] for a in json.loads(attributes or "[]") if a["name"] == "stream"]
        self_ns = dur if kind == "chakra" or not is_host else own and round(own * 1000)
        resource = f"t{thread}" if is_host else f"s{streams[0]}" if streams else ""
        is_elsewhere = kind != "chakra" and _of_gloo(name, is_host)
        calls[key] = Call(
            key, number, "" if is_elsewhere else resource, is_host, max(self_ns or 0, 0),
            None if kind == "chakra" else start, dur or 0, resource,
        )  # fmt: skip
    for source, target, edge in connection.execute(
        "SELECT from_node_id, to_node_id, kind FROM graph_edge WHERE graph_id = ?", [graph_id]
    ).fetchall():
        if source != target:
            calls[target].needs.append((edge, source))
    return list(calls.values())


def makespan_of_graph(calls: list[Call]) -> float:
    """How long the calls take: threads and streams do one thing at a time."""
    of = {call.key: call for call in calls}
    has_data = any(kind == "data" for call in calls for kind, _ in call.needs)
    chains: dict[str, list[Call]] = defaultdict(list)
    for call in sorted(calls, key=lambda each: each.order):
        if call.is_host and not has_data:
            chain = chains[call.thread]
            if chain:
                kind = "inter_thread" if call.is_elsewhere else "thread_order"
                call.needs.append((kind, chain[-1].key))
            if not call.is_elsewhere:
                chain.append(call)
    wait = {
        call.key: max((of[key].start + of[key].whole - call.start  # type: ignore[operator]
                       for kind, key in call.needs if kind == "sync"), default=0)
        for call in calls
    }  # fmt: skip
    left = {
        call.key: call.dur - max(min(wait[call.key], call.dur), 0) if call.is_host else call.dur
        for call in calls
    }
    edges = [(key, call.key, _delay(of[key], kind, call, left))
             for call in calls for kind, key in _kept(call, of)]  # fmt: skip
    ranked = sorted(calls, key=lambda each: (each.start is not None, each.start or 0, each.order))
    place = {call.key: n for n, call in enumerate(ranked)}
    first = min((call.start for call in calls if call.start is not None), default=0)
    release = {call.key: (call.start or first) - first if not call.needs else 0 for call in calls}
    return simulate(
        {call.key: (left[call.key], call.resource, release[call.key], place[call.key])
         for call in calls}, edges,
    )  # fmt: skip


def _kept(call: Call, of: dict[int, Call]) -> list[tuple[str, int]]:
    """One edge from each node; without control edges that the order of a thread implies."""
    kinds: dict[int, list[str]] = defaultdict(list)
    for kind, key in call.needs:
        before = of[key]
        is_implied = before.is_host and call.is_host and before.thread == call.thread
        if kind != "control" or not is_implied or before.order > call.order:
            kinds[key].append(kind)
    rank = {kind: n for n, kind in enumerate(PREFERENCE)}
    return [(min(found, key=lambda kind: rank.get(kind, 9)), key) for key, found in kinds.items()]


def _delay(before: Call, kind: str, call: Call, left: dict[int, int]) -> int:
    """What a call starts may begin before its end: by as much as recorded."""
    if kind not in ("control", "inter_thread") or before.start is None or call.start is None:
        return 0
    overlap = before.start + before.whole - call.start
    return -min(overlap, left[before.key]) if overlap > 0 else 0


def simulate(
    work: Mapping[int, tuple[float, str, float, int]], edges: Sequence[tuple[int, int, float]]
) -> float:
    """The last end; of each node duration, resource ("": none), first start, order of ties."""
    after: dict[int, list[tuple[int, float]]] = defaultdict(list)
    n_before = dict.fromkeys(work, 0)
    ready = {key: release for key, (_, _, release, _) in work.items()}
    for source, target, delay in edges:
        after[source].append((target, delay))
        n_before[target] += 1
    queue = [(ready[key], work[key][3], key) for key, n in n_before.items() if n == 0]
    heapq.heapify(queue)
    free: dict[str, float] = defaultdict(float)
    ends = []
    while queue:
        time, _, key = heapq.heappop(queue)
        dur, resource, _, _ = work[key]
        end = max(time, free[resource] if resource else time) + dur
        if resource:
            free[resource] = end
        ends.append(end)
        for target, delay in after[key]:
            ready[target] = max(ready[target], end + delay)
            n_before[target] -= 1
            if n_before[target] == 0:
                heapq.heappush(queue, (ready[target], work[target][3], target))
    assert len(ends) == len(work)
    return max(ends)


def makespan_of_commands(rows: list[dict[str, Any]]) -> float:
    """How long TPU commands take that wait for their engine, and for the last of their core.

    Rows: id, track, engine, core, port, kernel, start, end. Whoever comes last before a command
    that starts after its engine was free is what it waits for.
    """
    rows = sorted(rows, key=lambda row: (row["start"], row["track"], row["end"], row["id"]))
    place = {row["id"]: n for n, row in enumerate(rows)}
    begin, waits, before_of, seen = rows[0]["start"], {}, {}, set()
    gaps: dict[Any, list[float]] = defaultdict(list)
    fixed = set()
    for row in rows:
        own = [o for o in rows if o["track"] == row["track"] and place[o["id"]] < place[row["id"]]]
        before = own[-1] if own else None
        core = [o for o in rows if o["core"] is not None and o["core"] == row["core"]
                and o["end"] <= row["start"]]  # fmt: skip
        cause = min(core, key=lambda o: (-o["end"], place[o["id"]]), default=None)
        if cause is not None and before is not None and cause["end"] <= before["end"]:
            cause = None
        group = (row["core"], row["port"], row["kernel"])
        if group not in seen:
            fixed.add(row["id"])
        elif cause is not None:
            gaps[row["engine"], cause["engine"]].append(row["start"] - cause["end"])
        elif before is not None:
            gaps[row["engine"]].append(row["start"] - before["end"])
        seen.add(group)
        before_of[row["id"]], waits[row["id"]] = before, cause
    edges, release = [], {}
    for row in rows:
        found = [(before_of[row["id"]], row["engine"])]
        if (cause := waits[row["id"]]) is not None:
            found.append((cause, (row["engine"], cause["engine"])))
        release[row["id"]] = row["start"] - begin if all(o is None for o, _ in found) else 0
        for other, key in found:
            if other is not None:
                constant = median(gaps[key]) if gaps[key] else 0
                delay = row["start"] - other["end"] if row["id"] in fixed else constant
                edges.append((other["id"], row["id"], max(delay, 0)))
    work = {row["id"]: (row["end"] - row["start"], "", release[row["id"]], place[row["id"]])
            for row in rows}  # fmt: skip
    return simulate(work, edges)
