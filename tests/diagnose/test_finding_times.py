"""Times of findings against a walk over the slices in plain Python, also in time windows."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.randomtrace import (
    LIBRARY,
    Interval,
    RandomTrace,
    Runs,
    common,
    covered,
    import_jobs,
    make_job,
    union,
)
from tests.support.sharing import slow
from warehouse.ingest import pipeline
from warehouse.query import execute, scope
from warehouse.query.selection import Selection
from warehouse.store import database

Row = dict[str, Any]
EVER = (-(1 << 62), 1 << 62)
WINDOWS = [(30_000, 120_000), slow(EVER), slow((0, 60_000)), slow((61_234, 200_001))]
#: Number of events and time, by subject.
Found = dict[str, tuple[int, int]]


@pytest.fixture
def connection(random_runs: Runs) -> Iterator[duckdb.DuckDBPyConnection]:
    with database.Reader(random_runs.path) as reader:
        yield reader.connection


def rows(connection: duckdb.DuckDBPyConnection, query: str, **parameters: object) -> list[Row]:
    result = execute.run(connection, query, parameters, library=LIBRARY)
    found: list[Row] = result.table().to_pylist()
    return found


def see(connection: duckdb.DuckDBPyConnection, run: str, window: Interval) -> None:
    chosen = Selection(runs=(run,), from_ns=window[0], to_ns=window[1])
    scope.apply(connection, scope.resolve(connection, chosen))


def figures(connection: duckdb.DuckDBPyConnection, query: str) -> Found:
    return {row["subject"]: (row["n_events"], row["bound_ns"]) for row in rows(connection, query)}


def inside(interval: Interval, window: Interval) -> int:
    return max(min(interval[1], window[1]) - max(interval[0], window[0]), 0)


# --- calls and copies


def sums(job: list[RandomTrace], category: str, window: Interval) -> Found:
    """Slices that run in the window and the parts inside it, of the rank with most time."""
    found: Found = {}
    for trace in job:
        mine: dict[str, list[int]] = defaultdict(list)
        for each in trace.of(*(("gpu_memcpy",) if category == "copy" else ("cuda_runtime",))):
            is_meant = category == "copy" or category in each.name
            starts = window[0] <= each.ts < window[1]
            if is_meant and (starts or inside(each.interval, window)):
                mine[each.name].append(inside(each.interval, window))
        for name, times in mine.items():
            if sum(times) >= found.get(name, (0, 1))[1]:
                found[name] = len(times), sum(times)
    return found


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(
    ("finding", "category"),
    [("copy", "copy"), ("synchronization", "Synchronize"), ("allocation", "Malloc")],
)
def test_calls_and_copies_have_the_time_inside_the_window(
    connection: duckdb.DuckDBPyConnection,
    random_runs: Runs,
    finding: str,
    category: str,
    window: Interval,
) -> None:
    see(connection, "three-ranks", window)

    assert figures(connection, f"finding_{finding}") == sums(
        list(random_runs.jobs["three-ranks"]), category, window
    )


# --- host code


def gaps(connection: duckdb.DuckDBPyConnection, window: Interval) -> dict[Any, list[Interval]]:
    """Idle time of devices before late calls, by trace and device."""
    called = dict(connection.execute("SELECT slice_id, ts FROM whole_launch").fetchall())
    found: dict[Any, list[Interval]] = defaultdict(list)
    for gap in rows(connection, "idle_gap", per_device=True, top=None):
        if gap["cause"] in ("host", "host_sync"):
            end = min(called[gap["launch_id"]], gap["start_ns"] + gap["gap_ns"], window[1])
            if end > max(gap["start_ns"], window[0]):
                place = gap["trace_id"], gap["device_id"]
                found[place].append((max(gap["start_ns"], window[0]), end))
    return found


def outermost(connection: duckdb.DuckDBPyConnection) -> dict[tuple[int, str], list[Interval]]:
    """Operators and annotations beside steps that no other one on their thread is around."""
    threads: dict[tuple[int, int], list[tuple[int, int, int, str]]] = defaultdict(list)
    for trace, track, start, dur, slice_id, name in connection.execute(
        "SELECT trace_id, track_id, ts, dur, slice_id, name FROM whole_cpu_op WHERE dur > 0 "
        "UNION ALL SELECT trace_id, track_id, ts, dur, slice_id, name FROM whole_annotation "
        "WHERE side = 'host' AND dur > 0 AND name NOT LIKE 'ProfilerStep#%'"
    ).fetchall():
        threads[trace, track].append((start, -dur, slice_id, name))
    found: dict[tuple[int, str], list[Interval]] = defaultdict(list)
    for (trace, _), slices in threads.items():
        reach = None
        for start, dur, _, name in sorted(slices):
            if reach is None or start >= reach:
                found[trace, name].append((start, start - dur))
            reach = max(start - dur, reach if reach is not None else start - dur)
    return found


def host_code(connection: duckdb.DuckDBPyConnection, window: Interval) -> Found:
    """Of each name the gaps that it shares time with, each once, of the device with most."""
    best: dict[str, tuple[int, int, int]] = {}
    idle = gaps(connection, window)
    for (trace, name), slices in outermost(connection).items():
        for (of_trace, _), mine in idle.items():
            times = union(slices)
            shared = covered(common(mine, times)) if of_trace == trace else 0
            n_gaps = sum(1 for gap in mine if common([gap], times))
            if shared:
                best[name] = max(best.get(name, (0, 0, 0)), (shared, trace, n_gaps))
    most = sorted(best, key=lambda name: (-best[name][0], name))[:5]
    return {name: (best[name][2], best[name][0]) for name in most}


@pytest.mark.parametrize("window", WINDOWS)
def test_host_code_counts_each_gap_and_each_instant_once(
    connection: duckdb.DuckDBPyConnection, window: Interval
) -> None:
    see(connection, "two-ranks", window)

    assert figures(connection, "finding_host_code") == host_code(connection, window)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(first, first + 20) for first in range(0, 200, 20)])
def test_host_code_of_any_program_is_that_of_the_walk(tmp_path: Path, seeds: range) -> None:
    jobs = {
        f"seed-{seed}": make_job(1000 + seed, ranks=1 + seed % 3, devices=1 + seed % 2)
        for seed in seeds
    }
    made = import_jobs(tmp_path / "w.duckdb", jobs)
    with database.Reader(made.path) as reader:
        for name in jobs:
            for window in (EVER, (20_000, 90_000)):
                see(reader.connection, name, window)

                assert figures(reader.connection, "finding_host_code") == host_code(
                    reader.connection, window
                ), (name, window)


# --- communication on the host


def gloo(seed: int) -> list[dict[str, Any]]:
    """Collectives on two threads, which may overlap, and end together or touch."""
    choice = random.Random(f"gloo {seed}")
    events, now = [], 0
    for n in range(choice.randint(1, 12)):
        dur = choice.choice((0, 400, 1000, 5000))
        kind = choice.choice(("all_reduce", "all_gather", "barrier"))
        args = {"Input Dims": [[64]], "Input type": ["float"], "seed": seed}
        events.append({
            "ph": "X", "cat": "user_annotation", "name": f"gloo:{kind}", "pid": 1, "tid": 1 + n % 2,
            "ts": now / 1000, "dur": dur / 1000, "args": args,
        })  # fmt: skip
        now += choice.choice((0, dur // 2, dur, dur + 700))
    return events


def host_time(events: list[dict[str, Any]], window: Interval) -> tuple[int, int]:
    """Number of collectives in the window, and the time inside it in which any of them runs."""
    first = min(each["ts"] for each in events)
    times = [
        (round(1000 * (each["ts"] - first)), round(1000 * (each["ts"] + each["dur"] - first)))
        for each in events
    ]
    seen = [each for each in times if window[0] <= each[0] < window[1] or inside(each, window)]
    return len(seen), covered(common(seen, [window]))


@pytest.mark.parametrize("seeds", [range(3), slow(range(3, 100))])
def test_communication_that_overlaps_on_the_host_counts_once(tmp_path: Path, seeds: range) -> None:
    made = {f"seed-{seed}": gloo(seed) for seed in seeds}
    for name, events in made.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "trace.json").write_text(json.dumps({"traceEvents": events}))
    pipeline.import_paths([tmp_path / name for name in made], db=tmp_path / "w.duckdb")
    with database.Reader(tmp_path / "w.duckdb") as reader:
        for name, events in made.items():
            for window in (EVER, (0, 1500)):
                see(reader.connection, name, window)
                found = figures(reader.connection, "finding_exposed_communication")

                expected = host_time(events, window)
                assert [*found.values()] == ([expected] if expected[1] else []), (name, window)
