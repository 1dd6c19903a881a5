"""The queries behind a timeline against plain Python, on random traces."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from tests.support.randomtrace import Runs
from tests.support.sharing import integration
from warehouse.query import execute, scope
from warehouse.query.selection import Selection
from warehouse.store import database

Key = tuple[int, int, int]  # track, depth, start of a bucket
BUDGETS = (1, 60, 2_000, 10_000_000)


class Slice(NamedTuple):
    id: int
    track: int
    ts: int
    dur: int
    depth: int
    category: str | None

    @property
    def end(self) -> int:
        return self.ts + max(self.dur, 0)


@pytest.fixture(scope="module")
def connection(random_runs: Runs) -> Iterator[duckdb.DuckDBPyConnection]:
    with database.Reader(random_runs.path) as reader:
        chosen = scope.resolve(reader.connection, Selection(runs=("all",)))
        scope.apply(reader.connection, chosen)
        yield reader.connection


@pytest.fixture(scope="module")
def slices(connection: duckdb.DuckDBPyConnection) -> list[Slice]:
    found = connection.execute("SELECT id, track_id, ts, dur, depth, category FROM slice")
    return [Slice(*row) for row in found.fetchall()]


def rows(connection: duckdb.DuckDBPyConnection, query: str, **values: Any) -> list[dict[str, Any]]:
    return execute.run(connection, query, values).table().to_pylist()  # type: ignore[no-any-return]


def shown(slices: list[Slice], budget: int) -> set[int]:
    """The ids a timeline shows: the level rises by one as long as all tracks together fit."""
    by_track: dict[int, list[Slice]] = defaultdict(list)
    for each in slices:
        by_track[each.track].append(each)
    sizes = Counter(len(each) for each in by_track.values())
    level = total = 0
    while level < max(sizes):
        higher = sum(n for size, n in sizes.items() if size > level)
        if total + higher > budget:
            break
        level, total = level + 1, total + higher
    longest = (
        sorted(each, key=lambda s: (s.ts - s.end, s.id))[: max(1, level)]
        for each in by_track.values()
    )
    return {each.id for track in longest for each in track}


def buckets(slices: list[Slice], width: int) -> dict[Key, tuple[int, int, str | None]]:
    """How many begin, how long they last, and the main category: bucket by bucket."""
    n: Counter[Key] = Counter()
    time: dict[Key, Counter[str | None]] = defaultdict(Counter)
    for each in slices:
        first = each.ts // width
        n[each.track, each.depth, first * width] += 1
        for number in range(first, max(first, -(-each.end // width) - 1) + 1):
            start = number * width
            inside = min(each.end, start + width) - max(each.ts, start)
            time[each.track, each.depth, start][each.category] += max(0, inside)
    return {
        key: (
            n[key],
            min(width, sum(spent.values())),
            min(spent, key=lambda name: (-spent[name], name is None, name or "")),
        )
        for key, spent in time.items()
    }


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_longest_slices_of_each_track_are_shown(
    connection: duckdb.DuckDBPyConnection, slices: list[Slice], budget: int
) -> None:
    found = rows(connection, "timeline_slice", max_slices=budget)
    assert {row["slice_id"] for row in found} == shown(slices, budget)
    assert len(found) <= max(budget, len({each.track for each in slices}))


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("width", [integration(1_000), 70_001])
def test_what_is_not_shown_is_summed_up_where_it_is(
    connection: duckdb.DuckDBPyConnection, slices: list[Slice], budget: int, width: int
) -> None:
    one_by_one = shown(slices, budget)
    hidden = [each for each in slices if each.id not in one_by_one]

    found = rows(connection, "timeline_shade", max_slices=budget, bucket_ns=width)
    assert {
        (row["track_id"], row["depth"], row["bucket_start_ns"]): (
            row["n_slices"], row["busy_ns"], row["category"],
        )
        for row in found
    } == buckets(hidden, width)  # fmt: skip


def test_tracks_count_what_is_on_them(
    connection: duckdb.DuckDBPyConnection, slices: list[Slice]
) -> None:
    one_by_one = shown(slices, 2_000)
    expected = {
        track: (
            sum(each.track == track for each in slices),
            sum(each.track == track for each in slices if each.id in one_by_one),
            max(each.depth for each in slices if each.track == track) + 1,
            min(each.ts for each in slices if each.track == track),
            max(each.end for each in slices if each.track == track),
        )
        for track in {each.track for each in slices}
    }
    found = rows(connection, "timeline_track", max_slices=2_000)
    columns = ("n_slices", "n_shown", "n_levels", "start_ns", "end_ns")
    assert {row["track_id"]: tuple(row[name] for name in columns) for row in found} == expected


def test_ranks_with_known_clocks_meet_on_the_time_of_their_run(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    """Shift and drift lead to what the view aligned_slice says, but for one zero for each run."""
    found = rows(connection, "timeline_track", max_slices=1)
    by_trace = {row["trace_id"]: row for row in found}
    aligned = connection.execute("""
        SELECT a.trace_id, a.run_id, s.ts, a.aligned_ts_ns
        FROM aligned_slice AS a
        JOIN slice AS s ON s.id = a.slice_id
        WHERE a.aligned_ts_ns IS NOT NULL
    """).fetchall()
    zeros: dict[int, set[int]] = defaultdict(set)
    for trace_id, run_id, ts, aligned_ns in aligned:
        row = by_trace[trace_id]
        zeros[run_id].add(aligned_ns - (ts + row["shift_ns"] + round(row["drift"] * ts)))
    assert zeros
    assert all(max(each) - min(each) <= 1 for each in zeros.values())
    unknown = {row["trace_id"] for row in found if row["shift_ns"] is None}
    assert not unknown & {row[0] for row in aligned}


def test_a_warehouse_without_slices_has_no_timeline(tmp_path: Path) -> None:
    database.create_empty(tmp_path / "w.duckdb")
    with database.Reader(tmp_path / "w.duckdb") as reader:
        for query in ("timeline_track", "timeline_slice", "timeline_shade"):
            assert rows(reader.connection, query) == []
