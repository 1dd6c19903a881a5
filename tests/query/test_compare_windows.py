"""Comparisons in a time window: whole steps with all their work, other work as far as inside."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support import compare_noise as noise
from tests.support.randomtrace import LIBRARY, RandomTrace, Runs, Slice, import_jobs, make
from tests.support.sharing import slow
from warehouse.ingest import pipeline
from warehouse.query import execute, scope
from warehouse.query.selection import Selection
from warehouse.store import database

Row = dict[str, Any]


@pytest.fixture(scope="module", params=[range(2), slow(range(2, 40))], ids=["two", "many"])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    path: Path = tmp_path_factory.mktemp("windows") / "w.duckdb"
    made = {f"seed-{seed}": [make(500 + seed, steps=4)] for seed in request.param}
    return import_jobs(path, made)


@pytest.fixture
def connection(runs: Runs) -> Iterator[duckdb.DuckDBPyConnection]:
    with database.Reader(runs.path) as reader:
        yield reader.connection


def ends(trace: RandomTrace) -> list[int]:
    return [step.end for step in trace.steps]


def pairs(runs: Runs) -> Iterator[tuple[str, str, int]]:
    """Names of two sides, and the end of a window in which both have whole steps."""
    names = list(runs.jobs)
    for a, b in zip(names[::2], names[1::2], strict=True):
        yield a, b, max(ends(runs.jobs[a][0])[2], ends(runs.jobs[b][0])[2])


def rows(
    connection: duckdb.DuckDBPyConnection, query: str, a: str, b: str, to_ns: int
) -> list[Row]:
    seen = Selection(runs=(a, b), from_ns=0, to_ns=to_ns)
    scope.apply(connection, scope.resolve(connection, seen))
    result = execute.run(connection, query, {"a": a, "b": b}, library=LIBRARY)
    found: list[Row] = result.table().to_pylist()
    return found


def work_by_step(trace: RandomTrace) -> dict[int | None, list[Slice]]:
    """Device work by the number of the step that launched it; None: outside of steps."""
    found: dict[int | None, list[Slice]] = defaultdict(list)
    for each in trace.device_work:
        step = trace.step_of_work(each)
        found[int(step.name.partition("#")[2]) if step else None].append(each)
    return found


def total(work: list[Slice]) -> int:
    return sum(each.end - each.ts for each in work)


def inside(work: list[Slice], to_ns: int) -> int:
    return sum(max(min(each.end, to_ns) - each.ts, 0) for each in work)


def test_steps_have_the_device_time_that_they_have_without_a_window(
    connection: duckdb.DuckDBPyConnection, runs: Runs
) -> None:
    for a, b, to_ns in pairs(runs):
        work = {"a": work_by_step(runs.jobs[a][0]), "b": work_by_step(runs.jobs[b][0])}
        found = rows(connection, "compare_steps", a, b, to_ns)

        assert found
        for row in found:
            for side in "ab":
                number, device_ns = row[f"step_{side}"], row[f"device_{side}_ns"]
                if number is not None and device_ns is not None:
                    assert device_ns == total(work[side][number]), (a, b, side, number)


def test_totals_are_of_whole_steps_and_of_the_rest_inside_the_window(
    connection: duckdb.DuckDBPyConnection, runs: Runs
) -> None:
    for a, b, to_ns in pairs(runs):
        steps = rows(connection, "compare_steps", a, b, to_ns)
        measures = {row["measure"]: row for row in rows(connection, "compare_summary", a, b, to_ns)}
        kernels = rows(connection, "compare_kernels", a, b, to_ns)
        if measures["device_time"]["basis"] != "step":
            continue
        for side, name in (("a", a), ("b", b)):
            work = work_by_step(runs.jobs[name][0])
            whole = {row[f"step_{side}"] for row in steps} - {None}
            expected = sum(total(work[number]) for number in whole)
            rest = sum(inside(mine, to_ns) for n, mine in work.items() if n not in whole)

            assert measures["device_time"][f"total_{side}"] == expected
            assert measures["device_time_outside"][f"total_{side}"] == rest
            assert measures["device_busy"][f"total_{side}"] <= expected
            assert sum(row[f"total_{side}_ns"] for row in kernels) == expected + rest


def job(durations: list[int], rank: int, first: int) -> str:
    """Steps of 1 ms from number `first` on, each with a kernel that lasts so many us."""
    events: list[Row] = []
    for n, us in enumerate(durations):
        if n < first:
            continue
        at = {"ph": "X", "pid": 9, "tid": 9, "ts": 1000 * n, "dur": 1000}
        events.append(at | {"cat": "user_annotation", "name": f"ProfilerStep#{n}"})
        call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "args": {"correlation": n + 1}}
        events.append(at | {"ts": 1000 * n + 10, "dur": 5} | call)
        work = {"cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1000 * n + 20, "dur": us}
        args = {"device": 0, "stream": 7, "correlation": n + 1}
        events.append(at | work | {"args": args})
    about = {"rank": rank, "world_size": 2, "backend": "nccl"}
    return json.dumps({"schemaVersion": 1, "distributedInfo": about, "traceEvents": events})


def test_ranks_are_averaged_by_number_where_one_lacks_the_first_step(tmp_path: Path) -> None:
    durations = [100, 180, 120, 200, 110, 190, 130, 170]
    after = [each + 40 + each % 7 for each in durations]
    db = tmp_path / "w.duckdb"
    for run, series in (("a", durations), ("b", after)):
        (tmp_path / run).mkdir()
        for rank in range(2):
            (tmp_path / run / f"{rank}.json").write_text(job(series, rank, rank))
        pipeline.import_paths([tmp_path / run], db=db, options=pipeline.Options(run=run))
    with database.Reader(db) as reader:
        found = {
            row["measure"]: row
            for row in execute.run(
                reader.connection, "compare_summary", {"a": "a", "b": "b"}, library=LIBRARY
            ).table().to_pylist()
        }  # fmt: skip

    expected = noise.expected(
        [[1000.0 * each for each in durations]], [[1000.0 * each for each in after]]
    )
    row = found["device_time"]
    assert (row["n_steps_a"], row["n_steps_b"]) == (15, 15)
    assert row["typical_a"] == pytest.approx(expected.typical_a)
    assert row["p"] == pytest.approx(expected.p, abs=1e-9)
