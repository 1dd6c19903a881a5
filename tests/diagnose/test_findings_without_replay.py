"""Findings that no replay prices, of programs and allocators with a fault and without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support import snapshots
from tests.support.random_faults import clean, faulty, makespan_ns
from tests.support.random_program import COMPUTE, PID
from tests.support.randomtrace import RandomTrace, import_jobs
from tests.support.snapshots import Snapshot
from warehouse.diagnose import diagnosis, pricing, text
from warehouse.ingest import pipeline
from warehouse.query import session

Row = dict[str, Any]
MEMORY = 42_297_524_224
A100 = {"id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": MEMORY}
#: 2 x 1008 x 1024 x 1024 operations at 312 TFLOP/s.
PRODUCT_NS = 6775


def found(db: Path, finding: str) -> list[Row]:
    with session.opened(session.Place.of(db)) as opened:
        rows = diagnosis.diagnose(opened, replays=False).rows
        return [row for row in rows if row["finding"] == finding and row["subject"]]


def on_a100(job: list[RandomTrace]) -> list[RandomTrace]:
    return [trace.changed(trace.events, deviceProperties=[A100]) for trace in job]


def product(rows: int, dur_ns: int) -> Any:
    """A product of rows x 1024 by 1024 x 1024 in float16 in each step."""
    shapes = {"Input Dims": [[rows, 1024], [1024, 1024]], "Input type": ["c10::Half"] * 2}

    def multiply(program: Any, thread: Any, n: int, where: str) -> None:
        if where == "forward":
            with program.operator(thread, "aten::mm", **shapes):
                call = program.call(thread, "cudaLaunchKernel", 900, is_launch=True)
                program.work(call, "kernel", "product", 0, COMPUTE, dur_ns)

    return multiply


def reserve(nbytes: int) -> Any:
    """An allocator that has reserved so much in each step."""

    def note(program: Any, thread: Any, n: int, where: str) -> None:
        if where == "forward":
            args = {"Total Reserved": nbytes, "Total Allocated": 1024, "Bytes": 512,
                    "Addr": 512 * (n + 1), "Device Id": 0, "Device Type": 1}  # fmt: skip
            program.events.append(
                {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": PID,
                 "tid": thread.tid, "ts": thread.now, "args": args}
            )  # fmt: skip

    return note


@pytest.mark.parametrize(
    ("cost_ns", "share", "is_replayed", "most_ns", "expected"),
    [
        (5_575_000.0, 0.486, True, None, "48.6 %, 5.575 ms"),
        (5_575_000.0, 0.486, True, 6_125_000.0, "48.6 %, 5.575 ms"),
        (5_575_000.0, 0.486, False, None, "estimated 48.6 %, 5.575 ms"),
        (5_575_000.0, 0.486, False, 6_125_000.0, "estimated 48.6 %, 5.575 ms (at most 6.125 ms)"),
        (5_575_000.0, 0.486, False, 5_575_000.0, "at most 48.6 %, 5.575 ms"),
        (5_575_000.0, None, False, None, "estimated 5.575 ms"),
        (None, None, False, None, "unknown cost"),
    ],
)
def test_a_cost_that_no_replay_gave_is_called_an_estimate_or_a_bound(
    cost_ns: float | None,
    share: float | None,
    is_replayed: bool,
    most_ns: float | None,
    expected: str,
) -> None:
    row = {"cost_ns": cost_ns, "cost_share": share, "is_replayed": is_replayed, "most_ns": most_ns}

    assert text.cost(row) == expected


@pytest.mark.slow
def test_shapes_that_do_not_suit_tensor_cores_cost_what_padded_ones_would_save(
    tmp_path: Path,
) -> None:
    jobs = {
        name: on_a100(clean(3, fault=product(rows, dur), change=lambda cat, name, dur: dur))
        for name, rows, dur in (("odd", 1001, 90_000), ("padded", 1008, PRODUCT_NS))
    }
    dbs = {}
    for name, job in jobs.items():
        (tmp_path / name).mkdir()
        dbs[name] = import_jobs(tmp_path / name / "w.duckdb", {"run": job}).path

    (row,) = found(dbs["odd"], "unaligned_shape")

    assert (row["subject"], row["n_events"]) == ("aten::mm [[1001,1024],[1024,1024]]", 3)
    assert row["cost_ns"] == pytest.approx(3 * (90_000 - PRODUCT_NS), abs=3)
    saved = makespan_ns(jobs["odd"]) - makespan_ns(jobs["padded"])
    assert saved <= row["cost_ns"] + 3
    assert found(dbs["padded"], "unaligned_shape") == []


@pytest.mark.slow
@pytest.mark.parametrize(("share", "n_rows"), [(0.95, 1), (0.85, 0)])
def test_memory_near_the_limit_is_found(share: float, n_rows: int, tmp_path: Path) -> None:
    job = on_a100(clean(1, fault=reserve(round(share * MEMORY))))

    rows = found(import_jobs(tmp_path / "w.duckdb", {"run": job}).path, "memory_limit")

    assert len(rows) == n_rows
    for row in rows:
        assert (row["subject"], row["n_events"]) == ("device 0: 95.0 % of its memory", 3)
        assert (row["severity"], text.cost(row)) == ("medium", "unknown cost")


def free_share(snapshot: Snapshot) -> tuple[float, float]:
    """Shares of reserved memory: free, and free outside of the largest free block."""
    blocks = [each for segment in snapshot.document["segments"] for each in segment["blocks"]]
    free = [each["size"] for each in blocks if each["state"] == "inactive"]
    reserved = sum(each["size"] for each in blocks)
    return sum(free) / reserved, (sum(free) - max(free, default=0)) / reserved


@pytest.mark.slow
def test_fragmented_memory_is_found_where_half_of_much_free_memory_is_in_pieces(
    tmp_path: Path,
) -> None:
    seen = set()
    for seed in range(6):
        made = snapshots.make(seed)
        free, outside = free_share(made)
        is_fragmented = free >= 0.1 and outside >= free / 2
        path, db = tmp_path / f"{seed}.pickle", tmp_path / f"{seed}.duckdb"
        path.write_bytes(made.pickled())
        pipeline.import_paths([path], db=db)

        rows = found(db, "fragmentation")

        assert [row["subject"] for row in rows] == (
            [f"cuda 0: {100 * outside / free:.1f} % of free memory"] if is_fragmented else []
        )
        seen.add(is_fragmented)
    assert seen == {False, True}


def test_what_the_profiler_records_of_itself_is_no_time_of_the_run(tmp_path: Path) -> None:
    """Its own slice lasts as long as it was on, here twice as long as the program."""
    (program,) = faulty(0, "loader")[1]
    span_ns = makespan_ns([program])
    first = min(each["ts"] for each in program.events if "ts" in each)
    own = {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans",
           "tid": "PyTorch Profiler", "ts": first - span_ns, "dur": 2 * span_ns}  # fmt: skip
    end = {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "",
           "ts": first + 3 * span_ns}  # fmt: skip
    runs = import_jobs(
        tmp_path / "w.duckdb", {"run": [program.changed([*program.events, own, end])]}
    )

    with session.opened(session.Place.of(runs.path)) as opened:
        made = diagnosis.diagnose(opened, replays=False)

    rows = [row for row in made.rows if row["cost_ns"] is not None]
    assert made.measured_ns == span_ns
    assert rows[0]["cost_share"] == rows[0]["cost_ns"] / span_ns
    assert all(row["most_ns"] < span_ns for row in rows if row["most_ns"] is not None)


@pytest.mark.slow
def test_a_replay_that_is_far_off_prices_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = import_jobs(tmp_path / "w.duckdb", {"run": clean(0)})
    with session.opened(session.Place.of(runs.path)) as opened:
        priced = diagnosis.diagnose(opened)
        monkeypatch.setattr(pricing, "MOST_ERROR", -1.0)
        estimated = diagnosis.diagnose(opened)

    assert any(row["is_replayed"] for row in priced.rows if row["subject"])
    assert not any(row["is_replayed"] for row in estimated.rows if row["subject"])
    assert estimated.measured_ns == priced.measured_ns
    assert text.headline(estimated, "run").endswith("as without changes it is off by 0.0 %.")


@pytest.mark.slow
def test_a_run_that_no_replay_explains_has_estimates(data_dir: Path, tmp_path: Path) -> None:
    """Its devices are busy for half of the time, and the replay takes half as long."""
    db = tmp_path / "w.duckdb"
    pipeline.import_paths([data_dir / "kineto" / "sglang_prefill_decode" / "trace.json.gz"], db=db)
    with session.opened(session.Place.of(db)) as opened:
        found = diagnosis.diagnose(opened)

    first = found.rows[0]
    assert found.problem is not None and found.problem.startswith("without changes it is off by -5")
    assert not first["is_replayed"] and first["cost_share"] > 0.3
