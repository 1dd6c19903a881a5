"""Time windows: disjoint windows add up to the whole trace, and keep causes outside of them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.support.launching import launched
from tests.support.randomtrace import LIBRARY, RandomTrace, Runs, covered
from tests.support.sharing import integration, slow
from tests.support.windows import OTHER, ROWS, SUMS, changed, cuts, lost
from warehouse.ingest import pipeline
from warehouse.query import execute, scope
from warehouse.query.selection import Scope, Selection
from warehouse.store import database

LAYERS = ("summary", "tree", "bandwidth", "collective", "nsight", "nvprof", "rocm")


@pytest.fixture
def connection(random_runs: Runs) -> Iterator[duckdb.DuckDBPyConnection]:
    with database.Reader(random_runs.path) as reader:
        yield reader.connection


def resolved(connection: duckdb.DuckDBPyConnection, run: str = "all") -> Scope:
    return scope.resolve(connection, Selection(runs=(run,)))


def test_every_query_about_time_is_compared_or_named_as_an_exception() -> None:
    about_time = {q.header.name for q in LIBRARY.newest.values() if q.header and q.layer in LAYERS}

    assert about_time - {*SUMS, *ROWS, *OTHER} == set()


@pytest.mark.parametrize("queries", [["idle_summary"], slow(sorted(SUMS)[::4]), slow(sorted(SUMS))])
def test_disjoint_windows_add_up_to_the_whole_trace(
    connection: duckdb.DuckDBPyConnection, queries: list[str]
) -> None:
    borders = cuts(connection, 1, 2)

    assert lost(connection, queries, resolved(connection), borders) == []


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(1), range(1, 4), range(4, 100)])
def test_any_borders_of_any_program_lose_nothing(
    connection: duckdb.DuckDBPyConnection, random_runs: Runs, seeds: range
) -> None:
    """Each seed is a program, four borders and five summaries."""
    for seed in seeds:
        choice = random.Random(f"border {seed}")
        seen = resolved(connection, choice.choice(sorted(random_runs.jobs)))
        queries = choice.sample(sorted(SUMS), 5)
        scope.apply(connection, seen)

        assert lost(connection, queries, seen, cuts(connection, seed, 4)) == [], seed


@pytest.mark.parametrize(
    "query", ["step_summary", *(slow(name) for name in ROWS if name != "step_summary")]
)
def test_a_window_chooses_rows_of_single_things_and_changes_none(
    connection: duckdb.DuckDBPyConnection, query: str
) -> None:
    start, *_, end = cuts(connection, len(query), 4)

    assert changed(connection, query, resolved(connection), start, end) == []


def part(interval: tuple[int, int], start: int, end: int) -> tuple[int, int]:
    return max(interval[0], start), min(max(interval[1], start), end)


def length(interval: tuple[int, int]) -> int:
    return max(interval[1] - interval[0], 0)


def self_and_device_time(
    trace: RandomTrace, start: int, end: int
) -> dict[str, tuple[int, int, int]]:
    """Self time, and own and total device time, of operators by name in a window."""
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for each in trace.operators:
        below = [part(s.interval, start, end) for s in trace.slices if trace.parent(s) == each]
        found[each.name][0] += length(part(each.interval, start, end)) - covered(below)
    for call, work in launched(trace):
        inside = length(part(work.interval, start, end))
        around = [s for s in trace.ancestors(call) if s.category == "cpu_op"]
        if around:
            found[around[0].name][1] += inside
        for name in {each.name for each in around}:
            found[name][2] += inside
    return {name: (a, b, c) for name, (a, b, c) in found.items() if a or b or c}


@pytest.mark.parametrize("share", [2, integration(3), integration(5)])
def test_operators_have_the_self_and_device_time_of_a_window_a_plain_walk_finds(
    connection: duckdb.DuckDBPyConnection, random_runs: Runs, share: int
) -> None:
    trace = random_runs.jobs["two-ranks"][1]
    last = max(each.end for each in trace.slices)
    start, end = last // (share + 1), last // share
    seen = scope.resolve(
        connection, Selection(runs=("two-ranks",), ranks=(1,), from_ns=start, to_ns=end)
    )
    scope.apply(connection, seen)

    found = execute.run(connection, "op_summary", library=LIBRARY).table().to_pylist()

    assert {
        row["name"]: times
        for row in found
        if any(times := (row["self_ns"], row["self_device_ns"], row["total_device_ns"]))
    } == self_and_device_time(trace, start, end)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["two_ranks", "a100_nccl", "mi300_resnet_train"])
def test_windows_of_recordings_add_up_to_the_whole(
    data_dir: Path, tmp_path: Path, case: str
) -> None:
    files = sorted((data_dir / "kineto" / case).glob("*.json.gz"))
    pipeline.import_paths(files, db=tmp_path / "w.duckdb")
    with database.Reader(tmp_path / "w.duckdb") as reader:
        seen = resolved(reader.connection)
        borders = cuts(reader.connection, 1, 2)

        assert lost(reader.connection, sorted(SUMS), seen, borders) == []
