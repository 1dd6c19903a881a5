"""Real recordings: every figure equals an independent brute-force count, to the nanosecond.

The expected figures were counted from the files with exact decimal arithmetic, without a database.
Next to them stand the answers of Holistic Trace Analysis 0.5.0, which cuts times to microseconds
and leaves out work whose launching call is not in the file; where it differs by more than that,
this file says why.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import WarehouseCache
from warehouse.library import library
from warehouse.library.installed import Macros
from warehouse.query import execute
from warehouse.store import database

TRACES = {
    "a100_nccl": "trace",
    "b200_eager": "trace",
    "cpu_only": "trace",
    "cupti_counters": "trace",
    "diff_pair-control": "control",
    "diff_pair-test": "test",
    "edge_no_distributed_info": "trace",
    "edge_no_gpu": "trace",
    "event_sync": "trace",
    "gpu_only": "trace",
    "h100_qwen": "trace",
    "mi300_resnet_train": "trace",
    "sglang_prefill_decode": "trace",
    "simple_add_sync": "trace",
    "triton": "trace",
    "two_ranks-0": "rank-0",
    "two_ranks-1": "rank-1",
    "vllm_graph": "trace",
}
SMALL = ("event_sync", "two_ranks-0")

#: Where Holistic Trace Analysis differs by more than rounding, and why.
OTHER_IN_HTA = {
    "simple_add_sync": "it takes waits (cuda_sync) for work, which makes its span longer",
    "triton": "the only kernel of the file lasts 1 760 ns; it counts 94 µs of other events",
}
COMPARED_WITH_HTA = (
    "a100_nccl",
    "b200_eager",
    "diff_pair-control",
    "event_sync",
    "gpu_only",
    "sglang_prefill_decode",
    "two_ranks-0",
    "two_ranks-1",
    "vllm_graph",
)

Row = dict[str, Any]


@pytest.fixture(scope="module")
def folder() -> Path:
    data = os.environ.get("TW_TEST_DATA")
    if not data or not (Path(data) / "kineto").is_dir():
        pytest.skip("needs the recordings: set TW_TEST_DATA")
    return Path(data) / "kineto"


@pytest.fixture(scope="module")
def warehouses(folder: Path, imported_files: WarehouseCache) -> dict[str, Path]:
    """WarehouseCache recordings, each in a warehouse of its own, made when first asked for."""

    class Warehouses(dict[str, Path]):
        def __missing__(self, case: str) -> Path:
            source = folder / case.partition("-")[0] / f"{TRACES[case]}.json.gz"
            self[case] = imported_files((None, [source]))
            return self[case]

    return Warehouses()


def marked(cases: tuple[str, ...] | dict[str, str]) -> list[Any]:
    return [case if case in SMALL else pytest.param(case, marks=pytest.mark.slow) for case in cases]


def expected(folder: Path, case: str, kind: str) -> Any:
    name = TRACES[case]
    suffix = "" if name == "trace" else f"_{name}"
    place = folder / case.partition("-")[0]
    path = place / f"expected_{kind}{suffix}.json"
    # Both ranks of a job are in one answer of Holistic Trace Analysis.
    return json.loads((path if path.exists() else place / f"expected_{kind}.json").read_text())


def rows(path: Path, name: str) -> list[Row]:
    with database.Reader(path) as reader:
        table: list[Row] = execute.run(reader.connection, name).table().to_pylist()
    return table


def by_device(path: Path, name: str) -> dict[str, Row]:
    return {str(row["device"]): row for row in rows(path, name)}


@pytest.mark.parametrize("case", marked(TRACES))
def test_busy_times_are_exact(folder: Path, warehouses: dict[str, Path], case: str) -> None:
    utilization = by_device(warehouses[case], "utilization")
    overlap = by_device(warehouses[case], "overlap")

    actual = {
        device: {
            "n": row["n_ops"],
            "span_ns": row["span_ns"],
            "busy_ns": row["busy_ns"],
            "compute_busy_ns": row["compute_ns"],
            "comm_busy_ns": row["communication_ns"],
            "memory_busy_ns": row["memory_ns"],
            "compute_comm_overlap_ns": overlap[device]["overlap_ns"],
            "compute_memory_overlap_ns": overlap[device]["memory_overlap_ns"],
        }
        for device, row in utilization.items()
    }

    assert actual == {
        device: {
            key: sum(facts["n"].values()) if key == "n" else facts[key]
            for key in (
                "n", "span_ns", "busy_ns", "compute_busy_ns", "comm_busy_ns", "memory_busy_ns",
                "compute_comm_overlap_ns", "compute_memory_overlap_ns",
            )
        }
        for device, facts in expected(folder, case, "exact")["devices"].items()
    }  # fmt: skip


@pytest.mark.parametrize("case", marked(TRACES))
def test_streams_are_exact(folder: Path, warehouses: dict[str, Path], case: str) -> None:
    actual = {
        (str(row["device"]), str(row["stream"])): row["busy_ns"]
        for row in rows(warehouses[case], "utilization_by_stream")
    }

    assert actual == {
        (device, stream): busy_ns
        for device, facts in expected(folder, case, "exact")["devices"].items()
        for stream, busy_ns in facts["stream_busy_ns"].items()
    }


@pytest.mark.parametrize("case", marked(TRACES))
def test_kernels_are_exact(folder: Path, warehouses: dict[str, Path], case: str) -> None:
    found = rows(warehouses[case], "kernel_summary")

    for device, facts in expected(folder, case, "exact")["devices"].items():
        kernels = {
            row["name"]: (row["total_ns"], row["n_kernels"])
            for row in found
            if str(row["device"]) == device
        }
        for top in facts["top_kernels"]:
            assert kernels[top["name"]] == (top["sum_ns"], top["n"])
        totals = [row["total_ns"] for row in found if str(row["device"]) == device]
        assert totals[: len(facts["top_kernels"])] == [t["sum_ns"] for t in facts["top_kernels"]]


@pytest.mark.parametrize("case", marked(TRACES))
def test_buckets_and_parts_add_up(warehouses: dict[str, Path], case: str) -> None:
    parts = by_device(warehouses[case], "breakdown")
    buckets = rows(warehouses[case], "utilization_over_time")

    for device, row in parts.items():
        mine = [bucket for bucket in buckets if str(bucket["device"]) == device]
        assert sum(bucket["covered_ns"] for bucket in mine) == row["span_ns"]
        assert sum(bucket["busy_ns"] for bucket in mine) == row["span_ns"] - row["idle_ns"]
        names = ("compute_ns", "exposed_communication_ns", "exposed_memory_ns", "idle_ns")
        assert sum(row[name] for name in names) == row["span_ns"]


@pytest.mark.parametrize("case", marked(COMPARED_WITH_HTA))
def test_holistic_trace_analysis_agrees_but_for_rounding(
    folder: Path, warehouses: dict[str, Path], case: str
) -> None:
    rank = int(case[-1]) if case.startswith("two_ranks") else 0
    theirs = expected(folder, case, "hta")["temporal_breakdown"][rank]
    (ours,) = rows(warehouses[case], "breakdown")
    (counted,) = rows(warehouses[case], "utilization")

    # It cuts start and length of each operation to microseconds: up to 2 µs an operation.
    slack_us = 2 * counted["n_ops"] + 2
    assert abs(ours["span_ns"] / 1000 - theirs["kernel_time(us)"]) <= slack_us
    assert abs(ours["idle_ns"] / 1000 - theirs["idle_time(us)"]) <= slack_us
    assert abs(ours["compute_ns"] / 1000 - theirs["compute_time(us)"]) <= slack_us


@pytest.mark.slow
def test_holistic_trace_analysis_leaves_out_work_without_a_launch(
    folder: Path, warehouses: dict[str, Path]
) -> None:
    theirs = expected(folder, "diff_pair-test", "hta")["temporal_breakdown"][0]
    linked_only = """
        WITH reach AS (
          SELECT ts, dur, coalesce(max(ts + dur) OVER (
            ORDER BY ts, ts + dur ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ), ts) AS reached
          FROM gpu_op
          WHERE class = 'compute'
            AND slice_id IN (SELECT to_id FROM link WHERE kind = 'launch')
        )
        SELECT sum(greatest(ts + dur - greatest(ts, reached), 0)) FROM reach
    """

    with database.Reader(warehouses["diff_pair-test"]) as reader:
        ((compute_ns,),) = execute.run(reader.connection, linked_only).rows()

    assert compute_ns == theirs["compute_time(us)"] * 1000


@pytest.mark.slow
@pytest.mark.parametrize("case", OTHER_IN_HTA)
def test_holistic_trace_analysis_differs_for_a_known_reason(
    folder: Path, warehouses: dict[str, Path], case: str
) -> None:
    theirs = expected(folder, case, "hta")["temporal_breakdown"][0]
    exact = expected(folder, case, "exact")["devices"]
    (ours,) = rows(warehouses[case], "breakdown")

    assert ours["span_ns"] == exact[str(ours["device"])]["span_ns"]
    assert theirs["kernel_time(us)"] > ours["span_ns"] / 1000 + 50


#: All queries on all recordings take minutes.
@pytest.mark.slow
@pytest.mark.parametrize("case", TRACES)
def test_contracts_hold_on_real_rows(warehouses: dict[str, Path], case: str) -> None:
    from warehouse.library import contract

    known = library.load()
    problems = []
    installed = Macros()
    kept: set[str] = set()
    with database.Reader(warehouses[case]) as reader:
        for key, query in known.queries.items():
            if all(parameter.has_default for parameter in query.parameters):
                execute.prepare(reader.connection, query, known, installed=installed, kept=kept)
                found = contract.check_rows(reader.connection, query)
                problems += [f"{key}: {problem}" for problem in found]

    assert problems == []


@pytest.mark.parametrize(
    "case", marked(("two_ranks-0", "a100_nccl", "diff_pair-control", "mi300_resnet_train"))
)
def test_the_critical_path_covers_each_step(warehouses: dict[str, Path], case: str) -> None:
    with database.Reader(warehouses[case]) as reader:
        ran = reader.connection.execute(
            "SELECT l.ts, g.ts + g.dur FROM gpu_op_cause AS c "
            "JOIN gpu_op AS g ON g.slice_id = c.slice_id "
            "JOIN launch AS l ON l.slice_id = c.launch_id WHERE g.dur > 0"
        ).fetchall()
        steps = reader.connection.execute("SELECT number, ts, ts + dur FROM step").fetchall()
        assert steps
        for number, start, end in steps:
            result = execute.run(reader.connection, "critical_path", {"step": number})
            path = result.table().to_pylist()
            ends = [after for called, after in ran if start <= called < end]
            assert path[0]["start_ns"] == start
            assert path[-1]["end_ns"] == max([end, *ends])
            assert [row["end_ns"] for row in path[:-1]] == [row["start_ns"] for row in path[1:]]
