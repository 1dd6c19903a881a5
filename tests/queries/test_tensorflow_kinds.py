"""Summaries of TensorFlow's kinds of traces, computed once more in plain Python from their rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.profile_oracle import gaps, union
from tests.support.sharing import WarehouseCache, integration, slow
from warehouse.library import library
from warehouse.query import execute

DATA = Path(__file__).parents[1] / "data"
LIBRARY = library.load()
KINDS = {
    "cuda": "ctf/cuda/trace.tar.gz",
    "hip": "ctf/hip_hc/trace.tar.gz",
    "sycl": "ctf/sycl/trace.tar.gz",
    "jax": "xplane/jax",
    "keras": "xplane/keras",
    "run_metadata": "tf_run_metadata/local/run_metadata.pb",
}
Row = dict[str, Any]


class Kind:
    """A trace of one kind: rows of its tables, and of queries."""

    def __init__(self, path: Path) -> None:
        self._db = duckdb.connect(str(path), read_only=True)

    def query(self, name: str, **values: object) -> list[Row]:
        found: list[Row] = execute.run(self._db, name, values, library=LIBRARY).table().to_pylist()
        return found

    def rows(self, sql: str) -> list[Row]:
        found: list[Row] = self._db.sql(sql).to_arrow_table().to_pylist()
        return found

    def work(self, by: str = "device_id") -> dict[Any, list[Row]]:
        """Kernels, copies and memsets by device or track."""
        found: dict[Any, list[Row]] = defaultdict(list)
        for row in self.rows("FROM gpu_op WHERE kind <> 'sync' AND dur >= 0"):
            found[row[by]].append(row)
        return found

    def close(self) -> None:
        self._db.close()


@pytest.fixture(
    scope="module",
    params=["cuda", slow("hip"), slow("sycl"), integration("jax"),
            slow("keras"), integration("run_metadata")],
)  # fmt: skip
def kind(request: pytest.FixtureRequest, imported_files: WarehouseCache) -> Iterator[Kind]:
    name = str(request.param)
    found = Kind(imported_files.file((name, [DATA / KINDS[name]])))
    yield found
    found.close()


def intervals(rows: list[Row]) -> list[tuple[int, int]]:
    return [(row["ts"], row["ts"] + row["dur"]) for row in rows]


def length(parts: list[tuple[int, int]]) -> int:
    return sum(end - start for start, end in parts)


def classes(rows: list[Row]) -> tuple[int, int, int]:
    """Lengths of compute, of communication outside of it, and of copies outside of both."""
    lengths, before = [], 0
    kept: list[tuple[int, int]] = []
    for name in ("compute", "communication", "memory"):
        kept += intervals([row for row in rows if row["class"] == name])
        lengths.append(length(union(kept)) - before)
        before += lengths[-1]
    return lengths[0], lengths[1], lengths[2]


def test_utilization_and_breakdown_are_those_of_the_work(kind: Kind) -> None:
    expected = {}
    parts = {}
    for device, rows in kind.work().items():
        busy = union(intervals(rows))
        span = busy[-1][1] - busy[0][0]
        expected[device] = (len(rows), busy[0][0], span, length(busy))
        parts[device] = (*classes(rows), span - length(busy))
    found = {
        row["device_id"]: (row["n_ops"], row["start_ns"], row["span_ns"], row["busy_ns"])
        for row in kind.query("utilization")
    }
    assert found == expected
    assert parts == {
        row["device_id"]: (
            row["compute_ns"], row["exposed_communication_ns"], row["exposed_memory_ns"],
            row["idle_ns"],
        )
        for row in kind.query("breakdown")
    }  # fmt: skip


def test_idle_times_of_streams_add_up_to_their_gaps(kind: Kind) -> None:
    expected = {}
    for track, rows in kind.work("track_id").items():
        between = [gap for gap in gaps(intervals(rows)) if gap[1] > gap[0]]
        if between:
            expected[track] = (len(between), length(between), max(b - a for a, b in between))
    found: dict[Any, list[Row]] = defaultdict(list)
    for row in kind.query("idle_summary", per_device=False):
        found[row["track_id"]].append(row)
    assert expected == {
        track: (
            sum(row["n_gaps"] for row in rows), sum(row["idle_ns"] for row in rows),
            max(row["max_ns"] for row in rows),
        )
        for track, rows in found.items()
    }  # fmt: skip


def test_kernels_are_summed_by_name(kind: Kind) -> None:
    expected: dict[Any, list[int]] = defaultdict(list)
    for device, rows in kind.work().items():
        for row in rows:
            if row["kind"] == "kernel":
                expected[device, row["name"]].append(row["dur"])
    found = {
        (row["device_id"], row["name"]): (
            row["n_kernels"], row["total_ns"], row["min_ns"], row["max_ns"]
        )
        for row in kind.query("kernel_summary")
    }  # fmt: skip
    assert found == {
        key: (len(durs), sum(durs), min(durs), max(durs)) for key, durs in expected.items()
    }


def test_operators_are_summed_by_name(kind: Kind) -> None:
    """Self time: without what is directly inside, of any category."""
    ops = {row["slice_id"]: row for row in kind.rows("FROM cpu_op WHERE dur >= 0")}
    own = {n: row["dur"] for n, row in ops.items()}
    for inner in kind.rows("FROM slice WHERE parent_id IS NOT NULL AND dur > 0"):
        if inner["parent_id"] in own:
            own[inner["parent_id"]] -= inner["dur"]
    expected: dict[str, tuple[int, int, int, int]] = {}
    for name in {row["name"] for row in ops.values()}:
        durs = {n: row["dur"] for n, row in ops.items() if row["name"] == name}
        expected[name] = (
            len(durs), sum(own[n] for n in durs), min(durs.values()), max(durs.values())
        )  # fmt: skip
    assert expected == {
        row["name"]: (row["n_calls"], row["self_ns"], row["min_ns"], row["max_ns"])
        for row in kind.query("op_summary")
    }


def test_calls_wait_from_their_begin_to_their_first_work(kind: Kind) -> None:
    launches = {row["slice_id"]: row for row in kind.rows("FROM launch")}
    work = {row["slice_id"]: row for row in kind.rows("FROM gpu_op WHERE kind <> 'sync'")}
    caused: dict[int, list[Row]] = defaultdict(list)
    for link in kind.rows("FROM link WHERE kind = 'launch' AND link_set = 'default'"):
        if link["from_id"] in launches and link["to_id"] in work:
            caused[link["from_id"]].append(work[link["to_id"]])
    expected = {
        call: (
            len(rows),
            min(row["ts"] for row in rows) - launches[call]["ts"],
            sum(row["dur"] for row in rows),
        )
        for call, rows in caused.items()
    }
    found = {
        row["call_id"]: (row["n_ops"], row["latency_ns"], row["device_ns"])
        for row in kind.query("launch_latency", top=None)
    }
    assert found == expected


def test_steps_and_peaks_of_memory(kind: Kind) -> None:
    steps = kind.rows("FROM step")
    assert {row["slice_id"]: row["dur"] for row in steps} == {
        row["step_id"]: row["host_ns"] for row in kind.query("step_summary")
    }
    totals: dict[Any, list[int]] = defaultdict(list)
    for row in kind.rows("FROM memory_event ORDER BY ts, source_order"):
        if row["total_allocated_bytes"] is not None:
            totals[row["device_kind"], row["device_ordinal"]].append(row["total_allocated_bytes"])
    found = {
        (row["device_kind"], row["device_ordinal"]): row["peak_allocated_bytes"]
        for row in kind.query("memory_peak")
    }
    assert {key: found.get(key) for key in totals} == {k: max(v) for k, v in totals.items()}
    assert all(a["ts"] <= b["ts"] for a, b in pairwise(sorted(steps, key=lambda row: row["ts"])))
