"""Depth and parent are what the definition says, whatever overlaps and wherever a block ends."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.ingest import nesting

Row = tuple[int, int, int]  # track, start, length

few_rows = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 12), st.integers(0, 8)), max_size=40
)


def by_definition(rows: list[Row]) -> dict[int, tuple[int, int | None]]:
    """(depth, parent) of each row, by looking back at every earlier row of its track."""
    order = sorted(range(len(rows)), key=lambda n: (rows[n][0], rows[n][1], -rows[n][2], n))
    found: dict[int, tuple[int, int | None]] = {}
    for place, n in enumerate(order):
        track, start, length = rows[n]
        holders = (
            m
            for m in reversed(order[:place])
            if rows[m][0] == track and 2 * sum(rows[m][1:]) >= 2 * (start + length) + (length == 0)
        )
        parent = next(holders, None)
        found[n] = (0 if parent is None else found[parent][0] + 1, parent)
    return found


def nested(rows: list[Row]) -> dict[int, tuple[int, int | None]]:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE entry (entry_n BIGINT, track_n BIGINT, ts BIGINT, reach BIGINT, seq BIGINT)"
    )
    if rows:
        connection.executemany(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?)",
            [[n, track, start, length, n] for n, (track, start, length) in enumerate(rows)],
        )
    nesting.nest(connection)
    result = connection.execute("SELECT entry_n, depth, parent_n, is_leaf FROM nest").fetchall()
    outside = connection.execute(
        "SELECT n.entry_n FROM nest AS n WHERE NOT EXISTS (FROM nest_run AS r WHERE n.entry_n "
        "BETWEEN r.first_n AND r.last_n AND n.rowid BETWEEN r.first_row AND r.last_row)"
    ).fetchall()
    assert not outside
    connection.close()
    parents = {parent for entry, _, parent, _ in result if entry >= 0}
    assert all(leaf is (None if entry in parents else True) for entry, *_, leaf in result)
    return {entry: (depth, parent) for entry, depth, parent, _ in result}


def _divide(patch: pytest.MonkeyPatch, block: int, sampled: int = 1) -> None:
    """Makes windows and blocks of few rows; with few rows in the sample, windows are too large."""
    patch.setattr(nesting, "BLOCK_ROWS", block)
    patch.setattr(nesting, "WINDOW_ROWS", block)
    patch.setattr(nesting, "_SAMPLED", sampled)


@settings(max_examples=20, deadline=None)
@given(few_rows, st.sampled_from((1, 3, 2048)), st.sampled_from((1, 2, 1024)))
def test_any_slices_nest_as_defined(rows: list[Row], block: int, sampled: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        _divide(patch, block, sampled)

        assert nested(rows) == by_definition(rows)


@pytest.mark.parametrize(("numbers", "runs"), [
    ([3, 4, 5, 0, 1, 9], [(3, 5, 0, 2), (0, 1, 3, 4), (9, 9, 5, 5)]),
    ([8, -1, -2, -3, 4, 5], [(8, 8, 0, 0), (-1, -1, 1, 3), (4, 5, 4, 5)]),
    ([7, -1, 5, 3, 1], [(-1, 7, 0, 4)]),  # too many
    ([], []),
])  # fmt: skip
def test_runs_of_consecutive_numbers_are_where_their_rows_are(
    numbers: list[int], runs: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nesting, "_FEW", 3)
    found, batch = nesting._Runs(), pa.record_batch({"entry_n": pa.array(numbers, pa.int64())})

    found.add(batch)
    found.add(batch)

    rows = np.concatenate(found.found, axis=1).T.tolist()
    again = [(first, last, a + len(numbers), b + len(numbers)) for first, last, a, b in runs]
    assert [tuple(row) for row in rows] == [*runs, *again]


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(few_rows, st.sampled_from((1, 3, 2048)), st.sampled_from((1, 2, 1024)))
def test_very_many_slices_nest_as_defined(rows: list[Row], block: int, sampled: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        _divide(patch, block, sampled)

        assert nested(rows) == by_definition(rows)


@pytest.mark.parametrize("seed", range(8))
def test_many_slices_in_small_blocks_nest_as_defined(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = [
        (int(track), int(start), int(length))
        for track, start, length in zip(
            random.integers(0, 3, 400), random.integers(0, 300, 400),
            random.integers(0, 60, 400) * random.integers(0, 2, 400), strict=True,
        )
    ]  # fmt: skip
    still_open, batches = nesting._Open.none(), []
    order = sorted(range(len(rows)), key=lambda n: (rows[n][0], rows[n][1], -rows[n][2], n))

    for first in range(0, len(order), 7):
        part = np.array(order[first : first + 7], np.int64)
        track, start, length = (np.array([rows[n][i] for n in part], np.int64) for i in range(3))
        ended, still_open = nesting.nest_block(still_open, part, track, start, start + length)
        batches.append(ended)
    batches.append(still_open.batch())
    found = {
        row["entry_n"]: (row["depth"], row["parent_n"])
        for batch in batches
        for row in batch.to_pylist()
    }

    assert found == by_definition(rows)


@pytest.mark.parametrize(("rows", "expected"), [
    ([], {}),
    ([(0, 0, 10), (0, 0, 10)], {0: (0, None), 1: (1, 0)}),  # equal: the first in the file is outer
    ([(0, 0, 10), (0, 10, 0)], {0: (0, None), 1: (0, None)}),  # an instant at the end is outside
    ([(0, 0, 10), (0, 9, 0)], {0: (0, None), 1: (1, 0)}),
    ([(0, 5, 0), (0, 5, 0)], {0: (0, None), 1: (0, None)}),  # instants hold nothing
    ([(0, 0, 10), (0, 5, 10), (0, 6, 4)], {0: (0, None), 1: (0, None), 2: (1, 1)}),  # overlap
    ([(0, 0, 10), (1, 2, 3)], {0: (0, None), 1: (0, None)}),  # another track
])  # fmt: skip
def test_the_definition_by_example(
    rows: list[Row], expected: dict[int, tuple[int, int | None]]
) -> None:
    assert nested(rows) == expected


@pytest.mark.parametrize("block", [1, 100])
def test_what_is_no_slice_makes_no_parent(block: int) -> None:
    rows = [(0, 0, 0, 10, 0), (-1, 0, 4, 0, 1), (1, 0, 20, 10, 2), (2, 0, 25, 1, 3)]
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE entry (entry_n BIGINT, track_n BIGINT, ts BIGINT, reach BIGINT, seq BIGINT)"
    )
    connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", rows)
    with pytest.MonkeyPatch.context() as patch:
        _divide(patch, block)
        nesting.nest(connection)

    found = connection.execute("SELECT entry_n, parent_n, is_leaf FROM nest ORDER BY 1").fetchall()

    assert found == [(-1, 0, True), (0, None, True), (1, None, None), (2, 1, True)]


def test_slices_of_many_tracks_come_in_windows_in_nesting_order() -> None:
    random = np.random.default_rng(7)
    rows = [
        (int(track), int(start), int(length))
        for track, start, length in zip(
            random.integers(0, 9, 600) ** 2, random.integers(-300, 300, 600),
            random.integers(0, 60, 600), strict=True,
        )
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        _divide(patch, 40, 4)

        found = nested(rows)

    assert found == by_definition(rows)


def test_the_database_sorts_no_window_of_the_expected_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n_rows = 600_000  # more than a batch of Arrow, less than the rows of a window
    monkeypatch.setattr(nesting, "WINDOW_ROWS", n_rows // 2)
    monkeypatch.delattr(nesting, "_sorted")
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE entry AS SELECT range AS entry_n, 0::BIGINT AS track_n, range AS ts,"
        f" 1::BIGINT AS reach, range AS seq FROM range({n_rows})"
    )

    nesting.nest(connection)

    found = connection.execute("SELECT count(*), max(depth) FROM nest").fetchall()
    assert found == [(n_rows, 0)]


def test_times_near_the_limits_do_not_overflow() -> None:
    far = 9 * 10**18

    assert nested([(0, 0, far), (0, far - 5, 3)]) == {0: (0, None), 1: (1, 0)}


def test_a_deep_stack_and_one_that_overlaps_it_all_take_no_time() -> None:
    n = 20_000
    start = np.append(np.arange(n), n)
    end = np.append(2 * n - np.arange(n), 5 * n)
    track = np.zeros(n + 1, np.int64)

    none = nesting._Open.none()
    ended, still_open = nesting.nest_block(none, np.arange(n + 1), track, start, end)

    assert ended.column("depth").to_pylist() == list(range(n))
    assert (still_open.depth.tolist(), still_open.parent_n.tolist()) == ([0], [-1])
