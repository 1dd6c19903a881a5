"""Reads how a run reduces its gradients, from the graph of its replay and its simulated times."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse.optimize.reduction import Counts, Line, Reduction, Stages, Updates

if TYPE_CHECKING:
    from warehouse.replay.graph import Graph

Rows = list[dict[str, Any]]
_STAGES = ("QUEUE", "MEMCPY_IN_FUSION_BUFFER", "SEND", "RECV", "MEMCPY_OUT_FUSION_BUFFER")
#: Nodes of recorded groups; the place of a send is its loop, channel, step and slice.
_NODES = """
SELECT
  regexp_extract(name, '->Comm\\.([0-9+]+)\\.', 1) AS tensors, kind, trace_id, dur_ns, order_key,
  string_split(nullif(regexp_extract(name, '~>([0-9_]+)$', 1), ''), '_')::BIGINT[] AS place
FROM node
WHERE kind IN ('QUEUE', 'MEMCPY_IN_FUSION_BUFFER', 'SEND', 'RECV', 'MEMCPY_OUT_FUSION_BUFFER')
"""
#: Who sends to a rank on a channel.
_RINGS = """
SELECT DISTINCT
  b.trace_id, a.trace_id AS previous_trace_id,
  split_part(regexp_extract(a.name, '~>([0-9_]+)$', 1), '_', 2)::BIGINT AS channel
FROM edge AS e
JOIN node AS a ON a.node_id = e.from_id
JOIN node AS b ON b.node_id = e.to_id
WHERE a.kind = 'SEND' AND b.kind = 'RECV'
"""
#: Operators of each rank, split by whether communication comes before them.
_OPERATORS = """
WITH RECURSIVE after AS (
  SELECT e.to_id AS node_id
  FROM edge AS e
  JOIN node AS a ON a.node_id = e.from_id
  WHERE a.kind = 'MEMCPY_OUT_FUSION_BUFFER'
  UNION
  SELECT e.to_id FROM after JOIN edge AS e ON e.from_id = after.node_id
)
SELECT
  n.trace_id,
  min(t.start_ns) AS begin_ns,
  coalesce(max(t.end_ns + n.gap_ns) FILTER (n.node_id NOT IN (FROM after)), 0) AS computed_ns,
  arg_max(t.end_ns, (t.start_ns, n.node_id)) AS end_ns
FROM node AS n
JOIN time AS t ON t.node_id = n.node_id
WHERE n.kind = 'operator'
GROUP BY n.trace_id
ORDER BY n.trace_id
"""


def read(graph: Graph, bytes_per_s: float | None = None) -> Reduction:
    """Returns the gradients of a graph of which a simulation is stored (`Graph.store`).

    With a rate, sends last as long as their bytes take at it, and the rest of their recorded time.
    """
    tensors = _query(graph, "gradient_tensor")
    operators = _sql(graph, _OPERATORS)
    ranks = {row["trace_id"]: n for n, row in enumerate(operators)}
    ready, order = _ready(graph, tensors)
    place = {tensor_id: n for n, tensor_id in enumerate(order)}
    n_bytes = {row["tensor_id"]: row["bytes"] for row in tensors}
    nodes, stages = _sql(graph, _NODES), _query(graph, "gradient_stage")
    groups = sorted({row["tensors"] for row in nodes}, key=lambda each: _first(each, ready))
    updates = _updates(graph, place, ranks)
    return Reduction(
        tensor_ids=order,
        bytes=np.array([n_bytes[each] for each in order], np.int64),
        ready=np.array([ready[each] for each in order]),
        previous=_previous(graph, ranks),
        lines=_lines(graph, ranks, stages, bytes_per_s),
        counts=_counts(stages),
        recorded=_recorded(nodes, place, ranks),
        grouping=tuple(_places(each, place) for each in groups),
        updates=tuple(each for each, _ in updates),
        computed=np.array([row["computed_ns"] for row in operators]),
        begin=np.array([row["begin_ns"] for row in operators]),
        tail=np.array([
            row["end_ns"] - (last if last else row["computed_ns"])
            for row, (_, last) in zip(operators, updates, strict=True)
        ]),
    )  # fmt: skip


def _query(graph: Graph, name: str) -> Rows:
    found: Rows = graph.rows(graph.queries.find(name), {}).to_pylist()
    return found


def _sql(graph: Graph, sql: str) -> Rows:
    found: Rows = graph.connection.sql(sql).to_arrow_table().to_pylist()
    return found


def _places(tensors: str, place: dict[int, int]) -> tuple[int, ...]:
    return tuple(sorted(place[int(each)] for each in tensors.split("+")))


def _first(tensors: str, ready: dict[int, float]) -> tuple[float, int]:
    """When a group is ready, and its first tensor."""
    ids = [int(each) for each in tensors.split("+")]
    return max(ready[each] for each in ids), ids[0]


def _ready(graph: Graph, tensors: Rows) -> tuple[dict[int, float], tuple[int, ...]]:
    """When the gradient of each tensor can be queued, and the tensors in that order."""
    ends = dict(graph.connection.execute("SELECT node_id, end_ns FROM time").fetchall())
    delays = dict(
        graph.connection.execute(
            "SELECT a.trace_id, max(e.delay_ns) FROM edge AS e "
            "JOIN node AS a ON a.node_id = e.from_id WHERE a.kind = 'Sync' GROUP BY a.trace_id"
        ).fetchall()
    )
    ready: dict[int, float] = {}
    for row in tensors:
        at = ends[row["ready_id"]] + delays.get(row["trace_id"], 0)
        ready[row["tensor_id"]] = max(at, ready.get(row["tensor_id"], 0.0))
    return ready, tuple(sorted(ready, key=lambda each: (ready[each], each)))


def _previous(graph: Graph, ranks: dict[int, int]) -> Any:
    rows = _sql(graph, _RINGS)
    n_channels = 1 + max((row["channel"] for row in rows), default=0)
    previous = np.tile(np.arange(len(ranks))[:, None], (1, n_channels))
    for row in rows:
        sender = ranks[row["previous_trace_id"]]
        previous[ranks[row["trace_id"]], row["channel"]] = sender
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
        sends = found["SEND"]
        sends.slope[:] = 1e9 / bytes_per_s
        for trace_id, rank in ranks.items():
            rest = [
                row["dur_ns"] - row["part_bytes"] * 1e9 / bytes_per_s
                for row in stages
                if row["stage"] == "SEND" and row["trace_id"] == trace_id
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
        of_group[row["tensors"]][row["kind"]].append(row)
    return {_places(name, place): _stages_of(stages, ranks) for name, stages in of_group.items()}


def _stages_of(stages: dict[str, Rows], ranks: dict[int, int]) -> Stages:
    def of_copies(kind: str) -> Any:
        found = np.zeros(len(ranks))
        for row in stages[kind]:
            found[ranks[row["trace_id"]]] = row["dur_ns"]
        return found

    loops, channels, steps, slices = (
        1 + max(row["place"][axis] for row in stages["SEND"]) for axis in range(4)
    )

    def of_sends(kind: str) -> Any:
        found = np.zeros((steps, loops * slices, len(ranks), channels))
        for row in stages[kind]:
            loop, channel, step, part = row["place"]
            found[step, loop * slices + part, ranks[row["trace_id"]], channel] = row["dur_ns"]
        return found

    return Stages(
        queue=of_copies("QUEUE"),
        copy_in=of_copies("MEMCPY_IN_FUSION_BUFFER"),
        send=of_sends("SEND"),
        behind=of_sends("RECV"),
        copy_out=of_copies("MEMCPY_OUT_FUSION_BUFFER"),
        order=min(row["order_key"] for row in stages["QUEUE"]),
    )


def _updates(
    graph: Graph, place: dict[int, int], ranks: dict[int, int]
) -> list[tuple[Updates, float]]:
    """The updates of each rank, and when the last of them has ended."""
    waits: dict[int, list[int]] = defaultdict(list)
    for row in _query(graph, "gradient_update"):
        if row["tensor_id"] in place:
            waits[row["update_id"]].append(place[row["tensor_id"]])
    rows = graph.connection.execute(
        "SELECT n.trace_id, n.node_id, n.dur_ns, n.gap_ns, t.end_ns FROM node AS n "
        "JOIN time AS t ON t.node_id = n.node_id "
        "WHERE n.kind = 'operator' ORDER BY n.trace_id, n.order_key, n.node_id"
    ).fetchall()
    of_rank: list[list[tuple[float, ...]]] = [[] for _ in ranks]
    for trace_id, node_id, dur, gap, end in rows:
        if node_id in waits:
            of_rank[ranks[trace_id]].append((node_id, dur, gap, end))
    return [
        (
            Updates(
                np.array([dur + gap for _, dur, gap, _ in found]),
                np.array([gap for _, _, gap, _ in found]),
                tuple(tuple(waits[int(node_id)]) for node_id, _, _, _ in found),
            ),
            max((end for *_, end in found), default=0.0),
        )
        for found in of_rank
    ]
