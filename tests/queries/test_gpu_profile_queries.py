"""Queries that say what nvprof and rocprofv3 print, against what they printed, or plain Python."""

from __future__ import annotations

import csv
import json
import math
import sqlite3
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, suppress
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest

import warehouse
from tests.support.sharing import WarehouseCache
from warehouse.errors import UsageError
from warehouse.library import library
from warehouse.query import execute
from warehouse.store import database

pytestmark = pytest.mark.integration  # all of it on recordings

NVPROF = "gpu/nvprof_replay"
NSYS = "nsys_replay_synthetic/replay_full.sqlite"
ROCPROF = "gpu/rocprof_json/rocprofv3_mi350_400dispatch_results.json"

#: Queries, and which traces they have rows of: those with such rows.
WORK = "gpu_op WHERE kind <> 'sync'"
PRESENT = {
    "annotation_summary": "annotation",
    "breakdown": WORK,
    "counter_summary": "counter WHERE value IS NOT NULL",
    "cuda_api_sum": "launch",
    "cuda_gpu_kern_sum": "gpu_op WHERE kind = 'kernel'",
    "cuda_gpu_mem_time_sum": "gpu_op WHERE kind IN ('memcpy', 'memset')",
    "idle_gap": WORK,
    "kernel_summary": "gpu_op WHERE kind = 'kernel'",
    "launch_latency": "link WHERE kind = 'launch'",
    "memcpy_bandwidth": "gpu_op WHERE kind IN ('memcpy', 'memset')",
    "nvprof_summary": "(FROM launch SELECT trace_id UNION FROM gpu_op SELECT trace_id)",
    "nvtx_sum": "annotation WHERE style IS DISTINCT FROM 'mark'",
    "osrt_sum": "slice WHERE category = 'osrt'",
    "queue_length": "link WHERE kind = 'launch'",
    "runtime_call_summary": "launch",
    "temporal_breakdown": WORK,
    "timeline_slice": "slice",
    "top_kernels": "gpu_op WHERE kind = 'kernel'",
    "utilization": WORK,
    "utilization_by_stream": WORK,
    "utilization_over_time": WORK,
}


@pytest.fixture(scope="module")
def db(data_dir: Path, imported_files: WarehouseCache) -> Iterator[duckdb.DuckDBPyConnection]:
    """Every recorded profile of a GPU, each a run of its own."""
    path = imported_files.file((None, [data_dir / "gpu"]))
    connection = duckdb.connect(str(path), read_only=True)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def replayed(data_dir: Path, imported_files: WarehouseCache) -> Iterator[duckdb.DuckDBPyConnection]:
    """The profile whose summaries nvprof printed."""
    path = imported_files.file((None, [data_dir / "gpu" / "nvprof_replay" / "replay_v9.nvvp"]))
    connection = duckdb.connect(str(path), read_only=True)
    yield connection
    connection.close()


def ask(db: duckdb.DuckDBPyConnection, query: str, trace: str) -> list[dict[str, Any]]:
    ((trace_id,),) = db.execute("SELECT id FROM trace WHERE name = ?", [trace]).fetchall()
    rows = execute.run(db, query, {}, library=library.load()).table().to_pylist()
    return [row for row in rows if row["trace_id"] == trace_id]


def printed(path: Path) -> list[dict[str, str]]:
    lines = path.read_text().splitlines()[1:]
    return list(csv.DictReader([lines[0], *lines[2:]]))


@pytest.mark.parametrize(
    ("file", "kind"),
    [("print-gpu-summary.csv", "GPU activities"), ("print-api-summary.csv", "API calls")],
)
def test_the_summary_is_nvprofs(
    replayed: duckdb.DuckDBPyConnection, data_dir: Path, file: str, kind: str
) -> None:
    found = [row for row in ask(replayed, "nvprof_summary", "replay_v9") if row["type"] == kind]
    assert [
        (
            f"{100 * row['share']:.6f}",
            *(Decimal(row[key]) / 1000 for key in ("total_ns", "min_ns", "max_ns")),
            int(row["mean_ns"]),  # nvprof's is whole nanoseconds, cut off
            row["n_calls"],
            row["name"],
        )
        for row in found
    ] == [
        (
            line["Time(%)"],
            *(Decimal(line[key]) for key in ("Time", "Min", "Max")),
            int(Decimal(line["Avg"]) * 1000),
            int(line["Calls"]),
            line["Name"],
        )
        for line in printed(data_dir / NVPROF / file)
    ]


def test_the_trace_is_nvprofs_with_its_mebibytes_a_second(
    replayed: duckdb.DuckDBPyConnection, data_dir: Path
) -> None:
    def text(value: object) -> str:
        return "" if value is None else str(value)

    assert [
        (
            row["start_ns"],
            row["dur_ns"],
            *(text(row[f"{part}_{axis}"]) for part in ("grid", "block") for axis in "xyz"),
            text(row["registers_per_thread"]),
            row["static_shared_bytes"],
            text(row["bytes"]),
            row["mib_per_s"] and math.floor(row["mib_per_s"] * 1e6),  # cut off, not rounded
            text(row["source_memory"]),
            text(row["destination_memory"]),
            f"({row['device']})",
            str(row["context"]),
            str(row["stream"]),
            row["name"],
            row["correlation_id"],
        )
        for row in ask(replayed, "nvprof_gpu_trace", "replay_v9")
    ] == [
        (
            int(Decimal(line["Start"])),
            int(Decimal(line["Duration"])),
            *(line[f"{part} {axis}"] for part in ("Grid", "Block") for axis in "XYZ"),
            line["Registers Per Thread"],
            int(Decimal(line["Static SMem"]) * 1024) if line["Static SMem"] else None,
            line["Size"],
            int(Decimal(line["Throughput"]) * 1_000_000) if line["Throughput"] else None,
            line["SrcMemType"],
            line["DstMemType"],
            line["Device"].split()[-1],
            line["Context"],
            line["Stream"],
            line["Name"],
            int(line["Correlation_ID"]),
        )
        for line in printed(data_dir / NVPROF / "print-gpu-trace_ns.csv")
    ]


@pytest.mark.slow
def test_one_replay_has_one_trace_whoever_recorded_it(db: duckdb.DuckDBPyConnection) -> None:
    """nvprof's database and Nsight Systems' export are of the same replay."""
    sizes = ("grid_x", "block_x", "registers_per_thread", "bytes", "dur_ns")
    memory = ("source_memory", "destination_memory", "static_shared_bytes", "dynamic_shared_bytes")

    def rows(trace: str, kind: str) -> Counter[tuple[Any, ...]]:
        return Counter(
            tuple(row[name] for name in (*sizes, *memory))
            for row in ask(db, "nvprof_gpu_trace", trace)
            if (row["source_memory"] is not None) == (kind == "copies")
            and "memset" not in row["name"].lower()
        )

    for kind in ("copies", "kernels"):
        assert rows("replay_v9", kind) == rows("replay_full", kind) != Counter()


@pytest.mark.slow
def test_statistics_are_rocprofs(db: duckdb.DuckDBPyConnection, data_dir: Path) -> None:
    (process,) = json.loads((data_dir / ROCPROF).read_text())["rocprofiler-sdk-tool"]
    names = {each["kernel_id"]: each["formatted_kernel_name"] for each in process["kernel_symbols"]}
    durations: dict[str, list[int]] = defaultdict(list)
    for each in process["buffer_records"]["kernel_dispatch"]:
        name = names[each["dispatch_info"]["kernel_id"]]
        durations[name].append(each["end_timestamp"] - each["start_timestamp"])
    total = sum(map(sum, durations.values()))
    found = ask(db, "rocprof_stats", Path(ROCPROF).stem)
    assert {row["domain"] for row in found} == {"KERNEL_DISPATCH"}
    assert {row["name"]: list(row.values())[5:] for row in found} == {
        name: [
            len(each),
            sum(each),
            pytest.approx(statistics.mean(each)),
            pytest.approx(sum(each) / total),
            min(each),
            max(each),
            pytest.approx(statistics.stdev(each) if len(each) > 1 else 0, abs=1e-6),
        ]
        for name, each in durations.items()
    }


@pytest.mark.slow
def test_counters_are_summed_up_as_the_export_has_them(
    db: duckdb.DuckDBPyConnection, data_dir: Path
) -> None:
    """92 values of four metrics, 50 microseconds apart: as plain Python reads them."""
    with closing(sqlite3.connect(data_dir / "gpu" / NSYS)) as export:
        rows = export.execute(
            "SELECT i.metricName, m.timestamp, m.value FROM GPU_METRICS AS m "
            "JOIN TARGET_INFO_GPU_METRICS AS i USING (typeId, metricId) ORDER BY 1, 2"
        ).fetchall()
    samples: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for name, ts, value in rows:
        samples[name].append((ts, value))

    found = {
        f"{row['counter']} [{row['value_unit']}]": row
        for row in ask(db, "counter_summary", "replay_full")
    }

    assert set(found) == set(samples)
    for name, values in samples.items():
        row, (first, last) = found[name], (values[0][0], values[-1][0])
        area = sum(value * (after - ts) for (ts, value), (after, _) in pairwise(values))
        assert row["mean_value"] == pytest.approx(area / (last - first))
        assert (row["n_values"], row["span_ns"], row["last_value"]) == (
            len(values), last - first, values[-1][1],
        )  # fmt: skip
        assert (row["min_value"], row["max_value"]) == (
            min(value for _, value in values), max(value for _, value in values),
        )  # fmt: skip


@pytest.mark.slow
def test_every_public_query_runs_on_every_profile(
    data_dir: Path, imported_files: WarehouseCache, tmp_path: Path
) -> None:
    path = imported_files.copy(tmp_path / "w.duckdb", (None, [data_dir / "gpu"]))
    every = warehouse.open(path).scope(run="all")
    n_rows: dict[str, Counter[int]] = {}
    for query in library.load().newest.values():
        if query.layer not in ("lib", "link") and query.header:
            name = query.header.name
            with suppress(UsageError):  # it asks for a run, or a slice
                table = every.query(name).arrow()
                n_rows[name] = Counter(
                    table["trace_id"].to_pylist() if "trace_id" in table.column_names else []
                )
    assert n_rows["check_reference"] == n_rows["check_id_unique"] == Counter()
    with database.Reader(path) as reader:
        for name, condition in PRESENT.items():
            traces = reader.connection.execute(f"SELECT DISTINCT trace_id FROM {condition}")
            assert set(n_rows[name]) == {trace for (trace,) in traces.fetchall()}, name
