"""Slack, causes and the critical path of replayed nodes, against plain Python on their graph."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.support.sharing import WarehouseCache
from warehouse.query import session

RECORDING = Path(__file__).parents[1] / "data/kineto/gpu_handwritten/trace.json"
Row = dict[str, Any]


def test_slack_and_critical_path_follow_from_measured_times(imported_files: WarehouseCache) -> None:
    with session.opened(session.Place(imported_files(("a", [RECORDING])))) as opened:
        nodes, edges, slack, path, parts = (
            opened.run(f"replay_{name}").table().to_pylist()
            for name in ("node", "edge", "slack", "critical_path", "bottleneck")
        )
    node: dict[int, Row] = {row["node_id"]: row for row in nodes}
    after: dict[int, list[float]] = defaultdict(list)
    before: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for edge in edges:
        end = node[edge["from_id"]]["measured_end_ns"] + edge["delay_ns"]
        start = node[edge["to_id"]]["measured_start_ns"]
        after[edge["from_id"]].append(max(start - end, 0))
        before[edge["to_id"]].append((end, edge["from_id"]))
    last = max(row["measured_end_ns"] for row in nodes)
    expected, at = [], max((row["measured_end_ns"], row["node_id"]) for row in nodes)[1]
    while True:
        expected.append(at)
        if not before[at]:
            break
        at = max(before[at])[1]
    lengths: dict[tuple[Any, ...], float] = defaultdict(float)
    for each in path:
        lengths[each["rank"], each["kind"], each["name"]] += each["dur_ns"]

    assert len(nodes) > 5 and len(slack) == len(nodes) and len(path) > 1
    for row in slack:
        own = last - node[row["node_id"]]["measured_end_ns"]
        assert row["slack_ns"] == min(after[row["node_id"]], default=own)
    assert [row["node_id"] for row in path] == expected[::-1]
    assert {(r["rank"], r["kind"], r["name"]): r["dur_ns"] for r in parts} == lengths
