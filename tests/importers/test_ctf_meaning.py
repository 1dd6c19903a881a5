"""What events of TensorFlow's tracers mean, computed again from the text of babeltrace2."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pytest

from tests.support import babeltrace
from tests.support.sharing import WarehouseCache, integration

DATA = Path(__file__).parents[1] / "data" / "ctf"
CASES = ("cuda", "hip_hc", "hip_intercept_kt", "sycl")
LAUNCHES = {
    "hip_hc": ("hipTracer:function_entry", "hipLaunchKernel"),
    "sycl": ("openclTracer:function_entry", "clEnqueueNDRangeKernel"),
    "hip_intercept_kt": ("interceptionTracer:aql_kernel_dispatch_packet_submitted", None),
}
KERNEL = {
    "hip_hc": "hcTracer:kernel_begin", "sycl": "openclTracer:kernel_begin",
    "hip_intercept_kt": "interceptionTracer:kernel_begin",
}  # fmt: skip
#: CUPTI's functions of which the expected events have the names.
FUNCTIONS = {"41": "cudaMemcpyAsync_v3020", "307": "cuLaunchKernel"}


class Connections(Protocol):
    """Connections by run."""

    def __getitem__(self, run: str, /) -> duckdb.DuckDBPyConnection: ...


class Runs:
    """Runs of the cases, each in a warehouse of its own."""

    def __init__(self, imported_files: WarehouseCache) -> None:
        self._files = imported_files
        self._opened: dict[str, duckdb.DuckDBPyConnection] = {}

    def __getitem__(self, run: str, /) -> duckdb.DuckDBPyConnection:
        if run not in self._opened:
            hosts = [DATA / "dist" / f"{name}.tar.gz" for name in ("master", "worker_skew37ms")]
            files = hosts if run == "dist" else [DATA / run / "trace.tar.gz"]
            path = self._files.file((run, files))
            self._opened[run] = duckdb.connect(str(path), read_only=True)
        return self._opened[run]

    def close(self) -> None:
        for connection in self._opened.values():
            connection.close()


RELEASE = "hsaTracer:pool_memory_free"


@pytest.fixture(scope="module")
def db(imported_files: WarehouseCache) -> Iterator[Runs]:
    runs = Runs(imported_files)
    yield runs
    runs.close()


def rows(db: Connections, sql: str, run: str) -> list[tuple[Any, ...]]:
    of_run = (
        "JOIN trace AS t ON t.id = x.trace_id JOIN run AS r ON r.id = t.run_id WHERE r.name = ?"
    )
    return db[run].execute(sql.replace("OF_RUN", of_run), [run]).fetchall()


def lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt") as stream:
        return [json.loads(line) for line in stream]


def placed(db: Connections, run: str) -> list[tuple[int, str, int, str]]:
    """Events as tensorflow-profiler sorts them: with the thread that CUPTI states."""
    found = rows(
        db,
        "SELECT t.base_ns + x.placed_ts, c.name, x.tid, coalesce(x.payload_json, s.args_json) "
        "FROM recorded_event AS x JOIN event_class AS c ON c.id = x.event_class_id "
        "JOIN slice AS s ON s.id = x.slice_id OF_RUN",
        run,
    )
    events = []
    for ns, name, tid, text in found:
        payload = json.loads(text)
        if "_api_" in name and name.startswith("cuda"):
            payload["name"] = FUNCTIONS[payload["name"]]
            tid = int(str(payload["threadId"])[-4:])
        events.append((ns, name, tid, json.dumps(payload, sort_keys=True)))
    return events


def expected_events(run: str) -> list[tuple[int, str, int, str]]:
    return [
        (e["t"], e["n"], e["tid"], json.dumps(e["f"], sort_keys=True))
        for e in lines(DATA / run / "sorted_events.jsonl.gz")
    ]


@pytest.mark.parametrize("run", ["cuda", integration("hip_hc"), integration("hip_intercept_kt")])
def test_events_are_where_tensorflow_profiler_places_them(db: Runs, run: str) -> None:
    found = placed(db, run)
    if run == "hip_hc":
        found = [event for event in found if event[1] != RELEASE] + releases(db, run)
    assert Counter(found) == Counter(expected_events(run))


def releases(db: Connections, run: str) -> list[tuple[int, str, int, str]]:
    """Releases of pools, to which tensorflow-profiler adds pool and size: rows of memory_event."""
    found = rows(
        db,
        "SELECT t.base_ns + e.placed_ts, e.tid, x.address, x.bytes, x.device_ordinal "
        "FROM memory_event AS x JOIN recorded_event AS e ON e.slice_id = x.slice_id OF_RUN "
        "AND x.name = 'pool_memory_free'",
        run,
    )
    return [
        (ns, RELEASE, tid, json.dumps({"handle": pool, "ptr": address, "size": size}))
        for ns, tid, address, size, pool in found
    ]


def test_work_of_opencl_is_there_once_and_where_its_calls_allow(
    db: Runs,
) -> None:
    counts = rows(
        db, "SELECT x.kind, count(*) FROM gpu_op AS x OF_RUN GROUP BY 1 ORDER BY 1", "sycl"
    )
    assert counts == [("kernel", 80), ("memcpy", 12)]
    events = babeltrace.golden(DATA / "sycl" / "golden.txt.gz")
    calls = {
        step: [e.ns for e in events if e.name == f"openclTracer:function_{step}"]
        for step in ("entry", "exit")
    }
    queued = [e.payload["timestamp"] for e in events if e.name.endswith("_queued")]
    lower = max(ns - at for ns, at in zip(calls["entry"], queued, strict=True))
    upper = min(ns - at for ns, at in zip(calls["exit"], queued, strict=True))
    clocks = rows(
        db, "SELECT x.offset_ns, x.uncertainty_ns, x.method FROM clock AS x OF_RUN "
        "AND x.name = 'OpenCL device'", "sycl",
    )  # fmt: skip
    assert clocks == [((lower + upper) // 2, (upper - lower + 1) // 2, "interval")]
    begins = sorted(
        e.payload["timestamp"] + (lower + upper) // 2 for e in events if e.name.endswith("l_begin")
    )
    starts = rows(
        db,
        "SELECT t.base_ns + x.ts FROM gpu_op AS x OF_RUN AND x.kind = 'kernel' ORDER BY 1",
        "sycl",
    )
    assert [ns for (ns,) in starts] == begins


def operations(run: str) -> list[str | None]:
    """The innermost operation open on the thread of each launch, by reading the text once."""
    event, function = LAUNCHES[run]
    opened: dict[int, list[str]] = {}
    found: list[str | None] = []
    for each in babeltrace.golden(DATA / run / "golden.txt.gz"):
        stack = opened.setdefault(each.context["vtid"], [])
        if each.name == "tensorflowTracer:operation_start":
            stack.append(each.payload["name"])
        elif each.name == "tensorflowTracer:operation_end":
            stack.reverse()
            stack.remove(each.payload["name"])
            stack.reverse()
        elif each.name == event and function in (None, each.payload.get("name")):
            found.append(stack[-1] if stack else None)
    return found


def kernels(db: Runs, run: str, link: str) -> list[str | None]:
    found = rows(
        db,
        f"SELECT o.name FROM gpu_op AS x LEFT JOIN ({link}) AS l ON l.work = x.slice_id "
        "LEFT JOIN cpu_op AS o ON o.slice_id = l.op OF_RUN AND x.kind = 'kernel' ORDER BY x.ts",
        run,
    )
    return [name for (name,) in found]


@pytest.mark.parametrize("run", ["sycl", integration("hip_hc"), integration("hip_intercept_kt")])
def test_kernels_belong_to_the_innermost_operation_of_the_launching_thread(
    db: Runs, run: str
) -> None:
    cause = "SELECT slice_id AS work, cpu_op_id AS op FROM gpu_op_cause"
    found = kernels(db, run, cause)
    assert found == operations(run)
    assert len(found) == 80


@pytest.mark.parametrize("run", ["hip_intercept_kt", integration("hip_hc")])
def test_a_link_set_has_the_operations_that_tensorflow_profiler_finds(db: Runs, run: str) -> None:
    kernel = KERNEL[run]
    found = [e for e in lines(DATA / run / "tfname_events.jsonl.gz") if e["n"] == kernel]
    expected = [e["f"]["tf_name"] for e in sorted(found, key=lambda e: e["t"])]
    link = "SELECT to_id AS work, from_id AS op FROM link WHERE link_set = 'tensorflow-profiler'"
    assert kernels(db, run, link) == expected


def test_kernels_of_cuda_belong_to_the_operation_they_are_named_after(
    db: Runs,
) -> None:
    found = rows(
        db, "SELECT x.name, o.name, o.ts <= x.ts FROM gpu_op AS x "
        "JOIN gpu_op_cause AS c ON c.slice_id = x.slice_id "
        "LEFT JOIN cpu_op AS o ON o.slice_id = c.cpu_op_id OF_RUN", "cuda",
    )  # fmt: skip
    assert len(found) == 92
    assert all(name == operation and is_before for name, operation, is_before in found)


@pytest.mark.integration
def test_calls_between_hosts_are_linked_and_relate_their_clocks(
    db: Runs,
) -> None:
    events = babeltrace.golden(DATA / "dist" / "golden_skew.txt.gz")
    sides: dict[tuple[str, str, str | None], list[int]] = {}
    for event in events:
        if event.name.endswith("RecvTensor_request"):
            kind, key = event.name[11:15], event.payload["rendezvous_key"]
            sides.setdefault((kind, key, event.host), []).append(event.ns)
    expected = {
        (sent, received)
        for (kind, key, host), times in sides.items()
        for other in {h for _, _, h in sides} - {host}
        if kind == "send"
        for sent, received in zip(times, sides[("rece", key, other)], strict=True)
    }
    found = (
        db["dist"]
        .execute(
            "SELECT t.base_ns + a.ts, u.base_ns + b.ts FROM link AS l "
            "JOIN rpc AS a ON a.slice_id = l.from_id JOIN rpc AS b ON b.slice_id = l.to_id "
            "JOIN trace AS t ON t.id = a.trace_id JOIN trace AS u ON u.id = b.trace_id "
            "WHERE l.kind = 'rpc' AND a.kind = 'send' AND contains(a.rpc_key, ';')"
        )
        .fetchall()
    )
    assert set(found) == expected
    assert len(found) == 12
    clocks = rows(
        db, "SELECT t.host_name, x.offset_ns, x.uncertainty_ns FROM clock AS x OF_RUN "
        "AND x.id = t.clock_id", "dist",
    )  # fmt: skip
    offsets = {host: (offset, uncertainty) for host, offset, uncertainty in clocks}
    assert offsets["vm"] == (0, 0)
    offset, uncertainty = offsets["tf-worker"]
    assert abs(offset + 37_000_000) <= min(uncertainty, 50_000)


@pytest.mark.integration
def test_kernels_have_grids_in_blocks_and_copies_their_sizes(db: Runs) -> None:
    events = babeltrace.golden(DATA / "hip_hc" / "golden.txt.gz")
    kernels = [e.payload for e in events if e.name == "hcTracer:kernel_begin"]
    expected = sorted(
        (k["timestamp"], k["grid_size"][0] // k["workgroup_size"][0], k["workgroup_size"][0],
         k["workitem_vgpr_count"], k["static_group_segment_size"])
        for k in kernels
    )  # fmt: skip
    found = rows(
        db, "SELECT (s.args_json ->> '$.timestamp')::BIGINT, x.grid_x, x.block_x, "
        "x.registers_per_thread, x.shared_memory_bytes FROM gpu_op AS x "
        "JOIN slice AS s ON s.id = x.slice_id OF_RUN AND x.kind = 'kernel' ORDER BY 1", "hip_hc",
    )  # fmt: skip
    assert found == expected
    copies = [
        e.payload["size_bytes"] for e in events if e.name.endswith(("cpy_begin", "slo_begin"))
    ]
    sizes = rows(db, "SELECT x.bytes FROM gpu_op AS x OF_RUN AND x.kind = 'memcpy'", "hip_hc")
    assert sorted(n for (n,) in sizes) == sorted(copies)
