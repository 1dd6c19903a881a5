"""The summaries against plain Python, and what must not change when a trace is changed."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import duckdb
import pytest

from tests.support.databases import attached
from tests.support.sharing import integration, slow
from warehouse.library import library
from warehouse.query import execute
from warehouse.store import database

Row = dict[str, Any]
LIBRARY = library.load()
SUMMARIES = [query for query in LIBRARY.newest.values() if query.layer == "summary"]
BIG = 1 << 32


class Op(NamedTuple):
    """An operation of a device, as the tests make them up."""

    device: int
    stream: int
    kind: str
    klass: str
    ts: int
    dur: int
    name: str

    @property
    def end(self) -> int:
        return self.ts + max(self.dur, 0)


class HostOp(NamedTuple):
    """A host slice; `parent` is an index into the same list."""

    ts: int
    dur: int
    name: str
    category: str
    parent: int | None


def random_ops(seed: int, n: int = 300) -> list[Op]:
    """Two devices with three streams: overlaps, gaps, empty, odd and unfinished operations."""
    source = random.Random(seed)
    kinds = [("kernel", "compute")] * 5 + [("kernel", "communication")] * 2
    kinds += [("memcpy", "memory"), ("memset", "memory"), ("sync", "sync")]
    ops = []
    for _ in range(n):
        kind, klass = source.choice(kinds)
        dur = source.choice([0, 1, source.randrange(60), source.randrange(60), -1, -7])
        ops.append(
            Op(source.randrange(2), source.randrange(3), kind, klass, source.randrange(9000), dur,
               f"{kind}_{source.randrange(5)}")
        )  # fmt: skip
    return ops


def random_host_ops(seed: int, n: int = 300) -> list[HostOp]:
    source = random.Random(seed)
    ops: list[HostOp] = []
    for index in range(n):
        category = source.choice(["cpu_op", "cpu_op", "cuda_runtime"])
        dur = source.choice([source.randrange(100), 0, -1])
        # Unfinished slices last to the end; only they contain each other.
        end = math.inf if dur == -1 else index * 10 + dur
        around = [
            n
            for n in range(max(0, index - 5), index)
            if ops[n].dur == -1 or ops[n].ts + ops[n].dur > end
        ]
        parent = source.choice([None, *around])
        ops.append(HostOp(index * 10, dur, f"op_{source.randrange(6)}", category, parent))
    return ops


def is_below_its_name(ops: list[HostOp], op: HostOp) -> bool:
    at = op.parent
    while at is not None:
        if ops[at].category == "cpu_op" and ops[at].name == op.name:
            return True
        at = ops[at].parent
    return False


def depth_of(ops: list[HostOp], op: HostOp) -> int:
    return 0 if op.parent is None else 1 + depth_of(ops, ops[op.parent])


def insert(connection: duckdb.DuckDBPyConnection, target: str, values: list[Any]) -> None:
    """All rows in one statement: executemany takes a second for what this does in none."""
    if values:
        marks = ", ".join(["(" + ", ".join("?" * len(values[0])) + ")"] * len(values))
        flat = [value for row in values for value in row]
        connection.execute(f"INSERT INTO {target} VALUES {marks}", flat)


def make(path: Path, traces: Iterable[tuple[int, list[Op], list[HostOp]]]) -> Path:
    """A warehouse with a run of one trace for each (trace id, device work, host slices)."""
    database.create_empty(path)
    with attached(path) as connection:
        fill(connection, traces)
    return path


def fill(
    connection: duckdb.DuckDBPyConnection, traces: Iterable[tuple[int, list[Op], list[HostOp]]]
) -> None:
    for trace_id, ops, host_ops in traces:
        connection.execute(
            "INSERT INTO run (id, name, kind, created_at) "
            "VALUES (?, ?, 'measured', now()::TIMESTAMP)",
            [trace_id, f"run-{trace_id}"],
        )
        connection.execute(
            "INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, "
            "tw_version, imported_at, base_ns, source_base_ns) "
            "VALUES (?, ?, 't', 0, 'kineto', 'kineto', 1, '0', now()::TIMESTAMP, 0, 0)",
            [trace_id, trace_id],
        )
        base = trace_id * BIG
        for device in (0, 1, 2):  # device 2 never works
            connection.execute(
                "INSERT INTO device (id, trace_id, kind, ordinal) VALUES (?, ?, 'gpu', ?)",
                [base + device, trace_id, device],
            )
        insert(
            connection,
            "gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream)",
            [
                (base + n, trace_id, base, base + op.device, op.ts, op.dur, op.name, op.kind,
                 op.klass, op.stream)
                for n, op in enumerate(ops)
            ],
        )  # fmt: skip
        insert(
            connection,
            "slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)",
            [
                (base + 100_000 + n, trace_id, base, op.ts, op.dur, op.category, op.name,
                 depth_of(host_ops, op), None if op.parent is None else base + 100_000 + op.parent)
                for n, op in enumerate(host_ops)
            ],
        )  # fmt: skip
    connection.execute(
        "INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) "
        "SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op'"
    )
    connection.execute(
        "INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category) "
        "SELECT id, trace_id, track_id, ts, dur, name, category FROM slice "
        "WHERE category = 'cuda_runtime'"
    )


def rows(path: Path, name: str, **parameters: object) -> list[Row]:
    with database.Reader(path) as reader:
        result = execute.run(reader.connection, name, parameters, library=LIBRARY)
        table: list[Row] = result.table().to_pylist()
    return table


def instants(ops: Iterable[Op]) -> set[int]:
    """The nanoseconds in which any of the operations runs, one by one."""
    return {at for op in ops for at in range(op.ts, op.end)}


def working(ops: list[Op], device: int) -> list[Op]:
    return [op for op in ops if op.device == device and op.kind != "sync"]


@pytest.mark.parametrize("seed", [0, *map(integration, (1, 2)), *map(slow, range(3, 10))])
def test_device_times_equal_counted_instants(tmp_path: Path, seed: int) -> None:
    ops = random_ops(seed)
    path = make(tmp_path / "w.duckdb", [(1, ops, [])])
    used, parts, shared = (rows(path, name) for name in ("utilization", "breakdown", "overlap"))

    for device in (0, 1):
        mine = working(ops, device)
        busy = instants(mine)
        by_class = {
            klass: instants(op for op in mine if op.klass == klass)
            for klass in ("compute", "communication", "memory")
        }
        compute, communication, memory = by_class.values()
        span = max(op.end for op in mine) - min(op.ts for op in mine)

        row = used[device]
        assert (row["device"], row["n_ops"]) == (device, len(mine))
        assert (row["span_ns"], row["busy_ns"]) == (span, len(busy))
        assert row["utilization"] == len(busy) / span
        part = parts[device]
        assert part["compute_ns"] == len(compute)
        assert part["exposed_communication_ns"] == len(communication - compute)
        assert part["exposed_memory_ns"] == len(memory - compute - communication)
        assert part["idle_ns"] == span - len(busy)
        both = shared[device]
        assert both["communication_ns"] == len(communication)
        assert both["overlap_ns"] == len(compute & communication)
        assert both["memory_overlap_ns"] == len(compute & memory)


@pytest.mark.parametrize("seed", [0, integration(1), *map(slow, range(2, 5))])
def test_stream_times_equal_counted_instants(tmp_path: Path, seed: int) -> None:
    ops = random_ops(seed)
    path = make(tmp_path / "w.duckdb", [(1, ops, [])])

    found = {
        (row["device"], row["stream"]): (row["n_ops"], row["busy_ns"])
        for row in rows(path, "utilization_by_stream")
    }

    streams: dict[tuple[int, int], list[Op]] = defaultdict(list)
    for op in working(ops, 0) + working(ops, 1):
        streams[op.device, op.stream].append(op)
    assert found == {key: (len(each), len(instants(each))) for key, each in streams.items()}


@pytest.mark.parametrize("bucket_ns", [7, 1_000_000, *map(slow, (1, 100))])
def test_buckets_equal_counted_instants(tmp_path: Path, bucket_ns: int) -> None:
    ops = [op._replace(ts=op.ts - 4000) for op in random_ops(3)]
    path = make(tmp_path / "w.duckdb", [(1, ops, [])])

    found = {
        (row["device"], row["bucket_start_ns"]): (row["covered_ns"], row["busy_ns"])
        for row in rows(path, "utilization_over_time", bucket_ns=bucket_ns)
    }

    expected = {}
    for device in (0, 1):
        mine = working(ops, device)
        busy = instants(mine)
        span = range(min(op.ts for op in mine), max(op.end for op in mine))
        for start in range(span.start // bucket_ns * bucket_ns, span.stop, bucket_ns):
            bucket = set(range(max(start, span.start), min(start + bucket_ns, span.stop)))
            expected[device, start] = (len(bucket), len(bucket & busy))
    assert found == expected


@pytest.mark.parametrize("bucket_ns", [70, *map(slow, (1, 1000))])
def test_exposed_communication_equals_counted_instants(tmp_path: Path, bucket_ns: int) -> None:
    ops = [op._replace(ts=op.ts - 4000) for op in random_ops(3)]
    path = make(tmp_path / "w.duckdb", [(1, ops, [])])

    found = {
        (row["device"], row["bucket_start_ns"]): (
            row["communication_ns"],
            row["exposed_communication_ns"],
        )
        for row in rows(path, "exposed_communication_over_time", bucket_ns=bucket_ns)
    }

    expected = {}
    for device in (0, 1):
        mine = working(ops, device)
        communication = instants([op for op in mine if op.klass == "communication"])
        exposed = communication - instants([op for op in mine if op.klass == "compute"])
        first, last = min(op.ts for op in mine), max(op.end for op in mine)
        for start in range(first // bucket_ns * bucket_ns, last, bucket_ns):
            bucket = set(range(start, start + bucket_ns))
            expected[device, start] = (len(bucket & communication), len(bucket & exposed))
    assert found == expected


@pytest.mark.parametrize("seed", [0, integration(1), *map(slow, range(2, 5))])
def test_kernels_equal_a_plain_count(tmp_path: Path, seed: int) -> None:
    ops = random_ops(seed)
    path = make(tmp_path / "w.duckdb", [(1, ops, [])])

    found = rows(path, "kernel_summary")

    lengths: dict[tuple[int, str, str], list[int]] = defaultdict(list)
    for op in ops:
        if op.kind == "kernel":
            lengths[op.device, op.name, op.klass].append(max(op.dur, 0))
    assert {
        (row["device"], row["name"], row["class"]): (
            row["n_kernels"], row["total_ns"], row["min_ns"], row["max_ns"], row["median_ns"],
        )
        for row in found
    } == {
        key: (len(each), sum(each), min(each), max(each), median(each))
        for key, each in lengths.items()
    }  # fmt: skip
    assert sum(row["share"] for row in found) == pytest.approx(2)


def test_top_kernels_are_the_first_of_all(tmp_path: Path) -> None:
    path = make(tmp_path / "w.duckdb", [(1, random_ops(1), [])])

    everything = rows(path, "kernel_summary")
    top = rows(path, "kernel_summary", top=2)

    for device in (0, 1):
        mine = [row for row in everything if row["device"] == device]
        assert [row for row in top if row["device"] == device] == mine[:2]


@pytest.mark.parametrize("seed", [0, integration(1), *map(slow, range(2, 5))])
def test_self_time_is_time_without_direct_children(tmp_path: Path, seed: int) -> None:
    ops = random_host_ops(seed)
    path = make(tmp_path / "w.duckdb", [(1, [], ops)])

    found = {
        row["name"]: (row["n_calls"], row["self_ns"], row["total_ns"], row["median_ns"])
        for row in rows(path, "op_summary")
    }

    children: dict[int, int] = defaultdict(int)
    for op in ops:
        if op.parent is not None:
            children[op.parent] += max(op.dur, 0)
    calls: dict[str, list[tuple[int, int]]] = defaultdict(list)
    # In all, a call below another of its name counts once: with that one.
    total: dict[str, int] = defaultdict(int)
    for index, op in enumerate(ops):
        if op.category == "cpu_op":
            length = max(op.dur, 0)
            total[op.name] += 0 if is_below_its_name(ops, op) else length
            calls[op.name].append((max(length - children[index], 0), length))
    assert found == {
        name: (len(each), sum(s for s, _ in each), total[name], median(t for _, t in each))
        for name, each in calls.items()
    }


@pytest.mark.slow
def test_work_whose_device_is_not_known_has_rows(tmp_path: Path) -> None:
    path = make(tmp_path / "w.duckdb", [(1, random_ops(1), [])])
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE gpu_op SET device_id = NULL")

    for query in SUMMARIES:
        if query.header and "device_id" in query.header.grain:
            # Queries about steps and launches have no rows: there are no links.
            assert {row["device_id"] for row in rows(path, str(query.key))} <= {None}


def test_a_device_whose_work_is_all_empty_has_no_utilization(tmp_path: Path) -> None:
    path = make(tmp_path / "w.duckdb", [(1, [Op(0, 0, "kernel", "compute", 5, 0, "k")], [])])

    (row,) = rows(path, "utilization")

    assert (row["n_ops"], row["span_ns"], row["utilization"]) == (1, 0, None)
    assert rows(path, "utilization_over_time") == []
