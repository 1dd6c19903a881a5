"""The queries on memory against plain Python over random traces, and against real recordings."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.randomtrace import RandomTrace, Runs, Slice, _reach
from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

Row = dict[str, Any]
CPU_RUN = Path(__file__).parents[1] / "data" / "kineto" / "cpu_run" / "trace.json.gz"


class Change(NamedTuple):
    """A [memory] instant; `op` is the innermost operator around it."""

    ts: int
    address: int
    bytes: int
    allocated: int
    reserved: int
    op: str | None


def changes(trace: RandomTrace) -> list[Change]:
    """In the order they count: by time; the traces have one allocator and no two at one time."""
    found = [
        Change(
            event["ts"] - trace.base_ns, event["args"]["Addr"], event["args"]["Bytes"],
            event["args"]["Total Allocated"], event["args"]["Total Reserved"],
            operator_around(trace, event),
        )
        for event in trace.memory
    ]  # fmt: skip
    return sorted(found)


def operator_around(trace: RandomTrace, event: dict[str, Any]) -> str | None:
    ts = event["ts"] - trace.base_ns
    around = [
        each
        for each in trace.slices
        if (each.pid, each.tid) == (event["pid"], event["tid"])
        and each.ts <= ts < each.ts + _reach(each)
    ]
    if not around:
        return None
    inner = sorted(around, key=lambda each: (each.ts, -_reach(each)))[-1]
    chain: list[Slice] = [inner, *trace.ancestors(inner)]
    return next((each.name for each in chain if each.category == "cpu_op"), None)


def of_each(runs: Runs, query: str) -> Iterator[tuple[list[Change], list[Row]]]:
    found = runs.rows(query)
    for name, job in runs.jobs.items():
        for trace in job:
            yield changes(trace), [row for row in found[name] if row["rank"] == trace.rank]


def test_the_timeline_says_what_each_event_left_allocated(random_runs: Runs) -> None:
    for truth, rows in of_each(random_runs, "memory_timeline"):
        last = {each.ts: each for each in truth}
        peaks = [max(e.allocated for e in truth if e.ts <= ts) for ts in last]
        assert [
            (r["ts"], r["allocated_bytes"], r["reserved_bytes"], r["peak_allocated_bytes"])
            for r in rows
        ] == [
            (ts, each.allocated, each.reserved, peak)
            for (ts, each), peak in zip(last.items(), peaks, strict=True)
        ]
        assert sum(r["change_bytes"] for r in rows) == sum(each.bytes for each in truth)
        assert sum(r["n_events"] for r in rows) == len(truth)


def test_events_at_one_time_on_two_threads_are_in_the_order_of_the_file(tmp_path: Path) -> None:
    sizes = [512, -512, 256]  # on threads 2, 1 and 2
    events = [
        {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": tid,
         "ts": 5.0, "args": {"Addr": 64, "Bytes": size, "Device Id": 0, "Device Type": 1,
                             "Total Allocated": sum(sizes[: n + 1]), "Total Reserved": 2048}}
        for n, (tid, size) in enumerate(zip((2, 1, 2), sizes, strict=True))
    ]  # fmt: skip
    file = tmp_path / "trace.json"
    file.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    pipeline.import_paths([file], db=tmp_path / "w.duckdb")

    found = rows_of(tmp_path / "w.duckdb", "SELECT * FROM memory_state() ORDER BY event_number")

    assert [(row["change_bytes"], row["allocated_bytes"]) for row in found] == [
        (512, 512), (-512, 0), (256, 256)
    ]  # fmt: skip


def test_the_peak_is_the_first_largest_state(random_runs: Runs) -> None:
    for truth, rows in of_each(random_runs, "memory_peak"):
        assert bool(truth) == bool(rows)
        for row in rows:
            peak = max(truth, key=lambda each: (each.allocated, -each.ts))
            assert (row["peak_ts"], row["peak_allocated_bytes"], row["cpu_op"]) == (
                peak.ts, peak.allocated, peak.op,
            )  # fmt: skip
            assert row["last_allocated_bytes"] == truth[-1].allocated
            assert row["first_allocated_bytes"] == truth[0].allocated - truth[0].bytes


def test_operators_get_the_events_they_are_innermost_around(random_runs: Runs) -> None:
    for truth, rows in of_each(random_runs, "memory_by_op"):
        sizes: dict[str | None, list[int]] = defaultdict(list)
        for each in truth:
            sizes[each.op].append(each.bytes)
        assert {
            row["cpu_op"]: (row["n_allocations"], row["allocated_bytes"], row["released_bytes"])
            for row in rows
        } == {
            op: (sum(b > 0 for b in mine), sum(max(b, 0) for b in mine),
                 sum(max(-b, 0) for b in mine))
            for op, mine in sizes.items()
        }  # fmt: skip
        assert [row["allocated_bytes"] for row in rows] == sorted(
            (row["allocated_bytes"] for row in rows), reverse=True
        )


def test_allocations_end_with_the_next_event_at_their_address(random_runs: Runs) -> None:
    for truth, rows in of_each(random_runs, "allocation"):
        expected: list[tuple[int, int | None, int | None, str, str | None]] = []
        before: dict[int, Change] = {}
        for n, each in enumerate(truth):
            after = next((e for e in truth[n + 1 :] if e.address == each.address), None)
            if each.bytes > 0 and after is None:
                expected.append((each.bytes, each.ts, None, "live", each.op))
            elif each.bytes > 0 and after is not None:
                is_release = after.bytes < 0
                end = after.ts if is_release else None
                outcome = "released" if is_release else "reused"
                expected.append((each.bytes, each.ts, end, outcome, each.op))
            elif before.get(each.address, each).bytes < 0:
                expected.append((-each.bytes, None, each.ts, "found", each.op))
            before[each.address] = each
        assert [
            (r["bytes"], r["ts"], r["release_ts"], r["outcome"], r["cpu_op"]) for r in rows
        ] == expected


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memory") / "w.duckdb"
    pipeline.import_paths([CPU_RUN], db=path)
    return path


def rows_of(path: Path, query: str, **parameters: object) -> list[Row]:
    with database.Reader(path) as reader:
        found: list[Row] = execute.run(reader.connection, query, parameters).table().to_pylist()
    return found


def recorded_changes() -> list[dict[str, Any]]:
    document = json.loads(gzip.decompress(CPU_RUN.read_bytes()))
    return [e["args"] for e in document["traceEvents"] if e.get("name") == "[memory]"]


@pytest.mark.integration
def test_a_recording_of_pytorch_adds_up(recorded: Path) -> None:
    truth = recorded_changes()

    (peak,) = rows_of(recorded, "memory_peak")
    operators = rows_of(recorded, "memory_by_op")
    timeline = rows_of(recorded, "memory_timeline")

    assert peak["peak_allocated_bytes"] == max(args["Total Allocated"] for args in truth)
    assert peak["n_events"] == len(truth) == sum(row["n_events"] for row in timeline)
    assert sum(row["net_bytes"] for row in operators) == sum(args["Bytes"] for args in truth)
    changed = timeline[-1]["allocated_bytes"] - peak["first_allocated_bytes"]
    assert sum(row["change_bytes"] for row in timeline) == changed


@pytest.mark.integration
def test_what_was_allocated_and_released_differ_by_what_is_live(recorded: Path) -> None:
    allocations = rows_of(recorded, "allocation")

    net = sum(args["Bytes"] for args in recorded_changes())
    live = sum(row["bytes"] for row in allocations if row["outcome"] in ("live", "reused"))
    assert live - sum(row["bytes"] for row in allocations if row["outcome"] == "found") == net
    assert all(row["release_ts"] is not None for row in allocations if row["outcome"] == "released")
