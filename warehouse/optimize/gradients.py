"""Reads how a run reduces its gradients, from the graph of its replay and its simulated times."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse.optimize.reduction import Counts, Line, Reduction, Stages, Updates

if TYPE_CHECKING:
    from warehouse.replay.graph import Graph

Rows = list[dict[str, Any]]
_STAGES = ("queue", "copy_in", "send", "receive", "copy_out")


def read(graph: Graph, bytes_per_s: float | None = None) -> Reduction:
    """Returns the gradients of a graph of which a simulation is stored (`Graph.store`).

    With a rate, sends last as long as their bytes take at it, and the rest of their recorded time.
    """
    tensors = _query(graph, "gradient_tensor")
    ends = _ends(graph)
    operators = _operators(graph, ends)
    ranks = {trace_id: n for n, trace_id in enumerate(sorted(operators))}
    rings = _query(graph, "gradient_ring")
    ready, order = _ready(tensors, rings, ends)
    place = {tensor_id: n for n, tensor_id in enumerate(order)}
    n_bytes = {row["tensor_id"]: row["bytes"] for row in tensors}
    nodes, stages = _query(graph, "gradient_node"), _query(graph, "gradient_stage")
    groups = sorted({row["tensors"] for row in nodes}, key=lambda each: _first(each, ready))
    updates = _updates(graph, place, operators)
    spans = [_span(each) for _, each in sorted(operators.items())]
    return Reduction(
        tensor_ids=order,
        bytes=np.array([n_bytes[each] for each in order], np.int64),
        ready=np.array([ready[each] for each in order]),
        previous=_previous(rings, ranks),
        lines=_lines(graph, ranks, stages, bytes_per_s),
        counts=_counts(stages),
        recorded=_recorded(nodes, place, ranks),
        grouping=tuple(_places(each, place) for each in groups),
        updates=tuple(each for each, _ in updates),
        computed=np.array([computed for _, computed, _ in spans]),
        begin=np.array([begin for begin, _, _ in spans]),
        tail=np.array([
            end - (last if last else computed)
            for (_, computed, end), (_, last) in zip(spans, updates, strict=True)
        ]),
    )  # fmt: skip


def _query(graph: Graph, name: str) -> Rows:
    found: Rows = graph.rows(graph.queries.find(name), {}).to_pylist()
    return found


def _ends(graph: Graph) -> dict[int, tuple[float, float]]:
    """Simulated start and end of each node."""
    rows = graph.connection.execute("SELECT node_id, start_ns, end_ns FROM time").fetchall()
    return {node_id: (start, end) for node_id, start, end in rows}


def _operators(graph: Graph, times: dict[int, tuple[float, float]]) -> dict[int, Rows]:
    """The operators of each trace with their times, in the order in which equal ones run."""
    found: dict[int, Rows] = defaultdict(list)
    for row in _query(graph, "gradient_operator"):
        start, end = times[row["node_id"]]
        found[row["trace_id"]].append(row | {"start": start, "end": end})
    for rows in found.values():
        rows.sort(key=lambda row: (row["order_key"], row["node_id"]))
    return found


def _span(operators: Rows) -> tuple[float, float, float]:
    """When the first operator starts, those before reductions have ended, and the step ends."""
    before = [row["end"] + row["gap_ns"] for row in operators if not row["is_after_reduction"]]
    last = max(operators, key=lambda row: (row["start"], row["node_id"]))
    return min(row["start"] for row in operators), max(before, default=0.0), last["end"]


def _places(tensors: str, place: dict[int, int]) -> tuple[int, ...]:
    return tuple(sorted(place[int(each)] for each in tensors.split("+")))


def _first(tensors: str, ready: dict[int, float]) -> tuple[float, int]:
    """When a group is ready, and its first tensor."""
    ids = [int(each) for each in tensors.split("+")]
    return max(ready[each] for each in ids), ids[0]


def _ready(
    tensors: Rows, rings: Rows, times: dict[int, tuple[float, float]]
) -> tuple[dict[int, float], tuple[int, ...]]:
    """When the gradient of each tensor can be queued, and the tensors in that order."""
    delays = {row["trace_id"]: row["delay_ns"] for row in rings}
    ready: dict[int, float] = {}
    for row in tensors:
        at = times[row["ready_id"]][1] + delays.get(row["trace_id"], 0)
        ready[row["tensor_id"]] = max(at, ready.get(row["tensor_id"], 0.0))
    return ready, tuple(sorted(ready, key=lambda each: (ready[each], each)))


def _previous(rings: Rows, ranks: dict[int, int]) -> Any:
    n_channels = 1 + max((row["channel"] for row in rings), default=0)
    previous = np.tile(np.arange(len(ranks))[:, None], (1, n_channels))
    for row in rings:
        previous[ranks[row["trace_id"]], row["channel"]] = ranks[row["previous_trace_id"]]
    return previous


def _lines(
    graph: Graph, ranks: dict[int, int], stages: Rows, bytes_per_s: float | None
) -> dict[str, Line]:
    """The fitted line of each stage; a stage that took no time anywhere has none to fit."""
    n = len(ranks)
    found = {
        stage: Line(np.zeros(n), np.zeros(n), np.zeros(n, bool), np.zeros(n), np.zeros(n))
        for stage in _STAGES
    }
    for row in _query(graph, "gradient_rate"):
        line, rank = found[row["stage"]], ranks[row["trace_id"]]
        line.fixed[rank], line.slope[rank] = row["fixed_ns"], row["slope_ns"]
        line.counts_tensors[rank] = row["size_unit"] == "tensor"
        line.least[rank], line.most[rank] = row["least_size"], row["most_size"]
    if bytes_per_s is not None:
        sends = found["send"]
        sends.slope[:] = 1e9 / bytes_per_s
        for trace_id, rank in ranks.items():
            rest = [
                row["dur_ns"] - row["part_bytes"] * 1e9 / bytes_per_s
                for row in stages
                if row["stage"] == "send" and row["trace_id"] == trace_id
            ]
            sends.fixed[rank] = max(sum(rest) / len(rest), 0.0) if rest else 0.0
    return found


def _counts(stages: Rows) -> tuple[Counts, ...]:
    found = {
        row["tensors"]: Counts(
            row["bytes"], row["n_ring_steps"], row["n_loops"], row["n_channels"], row["n_slices"]
        )
        for row in stages
    }
    return tuple(found[name] for name in sorted(found))


def _recorded(
    nodes: Rows, place: dict[int, int], ranks: dict[int, int]
) -> dict[tuple[int, ...], Stages]:
    """Durations of the recorded groups, node by node."""
    of_group: dict[str, dict[str, Rows]] = defaultdict(lambda: defaultdict(list))
    for row in nodes:
        of_group[row["tensors"]][row["stage"]].append(row)
    return {_places(name, place): _stages_of(stages, ranks) for name, stages in of_group.items()}


def _stages_of(stages: dict[str, Rows], ranks: dict[int, int]) -> Stages:
    def of_copies(kind: str) -> Any:
        found = np.zeros(len(ranks))
        for row in stages[kind]:
            found[ranks[row["trace_id"]]] = row["dur_ns"]
        return found

    loops, channels, steps, slices = (
        1 + max(row[axis] for row in stages["send"])
        for axis in ("loop", "channel", "ring_step", "slice")
    )

    def of_sends(kind: str) -> Any:
        found = np.zeros((steps, loops * slices, len(ranks), channels))
        for row in stages[kind]:
            part = row["loop"] * slices + row["slice"]
            rank = ranks[row["trace_id"]]
            found[row["ring_step"], part, rank, row["channel"]] = row["dur_ns"]
        return found

    return Stages(
        queue=of_copies("queue"),
        copy_in=of_copies("copy_in"),
        send=of_sends("send"),
        behind=of_sends("receive"),
        copy_out=of_copies("copy_out"),
        order=min(row["order_key"] for row in stages["queue"]),
    )


def _updates(
    graph: Graph, place: dict[int, int], operators: dict[int, Rows]
) -> list[tuple[Updates, float]]:
    """The updates of each rank, and when the last of them has ended."""
    waits: dict[int, list[int]] = defaultdict(list)
    for row in _query(graph, "gradient_update"):
        if row["tensor_id"] in place:
            waits[row["update_id"]].append(place[row["tensor_id"]])
    found = []
    for _, rows in sorted(operators.items()):
        rows = [row for row in rows if row["node_id"] in waits]
        updates = Updates(
            np.array([row["dur_ns"] + row["gap_ns"] for row in rows]),
            np.array([row["gap_ns"] for row in rows]),
            tuple(tuple(waits[row["node_id"]]) for row in rows),
        )
        found.append((updates, max((row["end"] for row in rows), default=0.0)))
    return found
