"""Computes the parent and depth of every slice of a trace, also where slices overlap.

Definition: on one track, in the order (ts, longer first, file order), the parent of a slice is the
nearest earlier slice that contains it, i.e. ends no earlier. A slice of duration 0 counts as ending
just after its instant: it contains nothing, and a slice that ends at that instant does not contain
it. Depth is the parent's depth plus one; roots have depth 0.

Python rather than SQL: this is a previous-greater-element search. A running sum only works where
slices nest properly, which real host threads violate (Python frames cross profiler ranges), and a
window pass per level is slow for deep stacks. Here every row first points at its predecessor; then
all rows whose target is too short follow the target's own pointer at once, column-wise, until none
is left, in a few rounds.

Entries with a number below 0 are no slices: they get a parent, but make none of it. A slice without
children is a leaf.

The rows of `nest` have no order, but mostly consist of runs of consecutive numbers; `nest_run` has
where they are, so that few rows are read to find those of some slices.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from warehouse.ahead import ahead
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    _Rows = tuple[Ints, Ints, Ints, Ints]  # entry_n, track_n, ts, end_ts
    _Block = tuple[_Rows, Ints | None]  # rows, and the place each came from

_MANY_TRACKS = 1 << 12  # in a block: processing single slices would take longer than it saves
_FEW = 1000  # pieces are copied faster than rows are chosen, unless there are many
BLOCK_ROWS = 1 << 18  # bounds memory: a block carries over only open slices
WINDOW_ROWS = 1 << 19  # about as many rows are put in order at once
_SAMPLED = 1024  # a row of so many helps to find where windows begin

SCHEMA = pa.schema(
    [
        ("entry_n", pa.int64()),
        ("depth", pa.int32()),
        ("parent_n", pa.int64()),
        ("is_leaf", pa.bool_()),  # true or NULL
    ]
)

#: `entry` is created by the importer: slices, and other records that need their enclosing slice.
_ROWS = "SELECT entry_n, track_n, ts, ts + reach AS end_ts, seq FROM entry WHERE {condition}"
_ORDERED = f"{_ROWS} ORDER BY track_n, ts, reach DESC, seq"
_RUN_TABLE = (
    "CREATE OR REPLACE TABLE nest_run AS SELECT unnest(?::BIGINT[]) AS first_n, "
    "unnest(?::BIGINT[]) AS last_n, unnest(?::BIGINT[]) AS first_row, "
    "unnest(?::BIGINT[]) AS last_row"
)
_SAMPLE = "SELECT track_n, ts FROM entry WHERE hash(seq) % {n} = 0 ORDER BY track_n, ts"


@dataclass
class _Open:
    """Open slices: those that may contain later ones, outermost first."""

    entry_n: Ints
    track_n: Ints
    end: Ints
    depth: Ints
    parent_n: Ints  # -1 for roots
    is_parent: NDArray[np.bool_]  # of a slice

    @staticmethod
    def none() -> _Open:
        none = np.empty(0, np.int64)
        return _Open(none, none, none, none, none, np.empty(0, bool))

    def batch(self) -> pa.RecordBatch:
        """Returns their rows of `nest`, as of slices that have ended."""
        return _batch(self.entry_n, self.depth, self.parent_n, self.is_parent)


def nest(connection: duckdb.DuckDBPyConnection) -> None:
    """Creates the tables `nest`, see SCHEMA, and `nest_run` from the scratch table `entry`."""
    cursor = connection.cursor()
    runs = _Runs()
    nested = pa.RecordBatchReader.from_batches(SCHEMA, map(runs.add, _nested(cursor)))
    connection.register("nested", nested)
    connection.execute("CREATE OR REPLACE TABLE nest AS FROM nested")
    connection.unregister("nested")
    cursor.close()
    connection.execute(_RUN_TABLE, np.concatenate(runs.found, axis=1).tolist())


class _Runs:
    """Finds where rows of consecutive slices are; other entries count as slice -1.

    Where they are many, it is one run from the least number to the greatest.
    """

    def __init__(self) -> None:
        self.found: list[Ints] = [np.empty((4, 0), np.int64)]  # columns of `nest_run`
        self._n_rows = 0

    def add(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Finds those of the next rows, which it returns."""
        slice_n = np.maximum(batch.column(0).to_numpy(), -1)
        if len(slice_n):
            step = np.diff(slice_n)
            starts = np.append(0, np.flatnonzero((step < 0) | (step > 1)) + 1)
            ends = np.append(starts[1:], len(slice_n)) - 1
            rows = np.stack((slice_n[starts], slice_n[ends], starts, ends))
            if len(starts) > _FEW:
                rows = np.array([[slice_n.min()], [slice_n.max()], [0], [len(slice_n) - 1]])
            rows[2:] += self._n_rows
            self.found.append(rows)
        self._n_rows += len(slice_n)
        return batch


def _nested(cursor: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """Yields the rows of `nest`: those of slices still open when they have ended.

    Those of a window are in the order of `entry`, so that what follows there does so in `nest`.
    """
    still_open = _Open.none()
    with closing(_blocks(cursor)) as blocks:
        for rows, order in blocks:
            ended, still_open = nest_block(still_open, *rows, order)
            yield ended
    yield still_open.batch()


def _blocks(cursor: duckdb.DuckDBPyConnection) -> Generator[_Block]:
    """The rows of `entry` in nesting order, and the places they came from, if known.

    Of many rows, a window is read while the one before it is nested.
    """
    (n_rows,) = database.one(cursor, "SELECT count(*) FROM entry")
    if n_rows <= WINDOW_ROWS:
        return _sorted(cursor, "true")
    return ahead(_by_window(cursor), 1, cursor.interrupt)


def _by_window(cursor: duckdb.DuckDBPyConnection) -> Iterator[_Block]:
    for condition in _windows(cursor):
        rows = _at_most(4 * WINDOW_ROWS, cursor, _ROWS.format(condition=condition))
        if rows is None:  # far more than the sample shows
            yield from _sorted(cursor, condition)
        elif rows.num_rows:
            yield _in_nesting_order(_columns(rows))


def _at_most(n_rows: int, cursor: duckdb.DuckDBPyConnection, sql: str) -> pa.Table | None:
    """Returns the rows of a query, None if there are more."""
    batches: list[pa.RecordBatch] = []
    with closing(cursor.sql(sql).to_arrow_reader()) as reader:
        for batch in reader:
            n_rows -= batch.num_rows
            if n_rows < 0:
                return None
            batches.append(batch)
        return pa.Table.from_batches(batches, reader.schema)


def _sorted(cursor: duckdb.DuckDBPyConnection, condition: str) -> Generator[_Block]:
    """Yields rows that DuckDB sorts: any number of them, if need be on disk."""
    for batch in cursor.sql(_ORDERED.format(condition=condition)).to_arrow_reader(BLOCK_ROWS):
        entry_n, track_n, ts, end_ts, _ = _columns(batch)
        yield (entry_n, track_n, ts, end_ts), None


def _windows(cursor: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Yields conditions that divide `entry` by track and time, in nesting order.

    Each holds about WINDOW_ROWS rows, by a sample: sorting few rows at a time needs no disk.
    """
    sample = cursor.execute(_SAMPLE.format(n=_SAMPLED)).fetchall()
    starts = sorted(set(sample[:: max(1, WINDOW_ROWS // _SAMPLED)]))
    before: tuple[int, int] | None = None
    for start in [*starts, None]:
        yield from _between(before, start)
        before = start


def _between(first: tuple[int, int] | None, end: tuple[int, int] | None) -> Iterator[str]:
    """Yields conditions for rows from a track and time on, before another; None is no limit."""
    if first is not None and end is not None and first[0] == end[0]:
        yield f"track_n = {first[0]} AND ts >= {first[1]} AND ts < {end[1]}"
        return
    if first is not None:
        yield f"track_n = {first[0]} AND ts >= {first[1]}"
    after = "true" if first is None else f"track_n > {first[0]}"
    yield after if end is None else f"{after} AND track_n < {end[0]}"
    if end is not None:
        yield f"track_n = {end[0]} AND ts < {end[1]}"


def _columns(rows: pa.RecordBatch | pa.Table) -> list[Ints]:
    return [column.to_numpy(zero_copy_only=False) for column in rows.columns]


def _in_nesting_order(columns: list[Ints]) -> tuple[_Rows, Ints]:
    """Returns rows in nesting order, without `seq`, and the place each came from.

    `entry` mostly consists of a few ordered pieces, which a merging sort finds. Only rows that
    begin together are compared by more.
    """
    entry_n, track_n, ts, end_ts, seq = columns
    key = ts if not len(ts) or track_n.min() == track_n.max() else _combined(track_n, ts)
    order = np.argsort(key, kind="stable")
    is_next = np.diff(key[order]) == 0
    if is_next.any():
        tied = np.zeros(len(order), bool)
        tied[1:] = is_next
        tied[:-1] |= is_next
        rows = order[tied]
        order[tied] = rows[np.lexsort((seq[rows], ~end_ts[rows], key[rows]))]
    return (entry_n[order], track_n[order], ts[order], end_ts[order]), order


def _combined(track_n: Ints, ts: Ints) -> Ints:
    """Returns numbers in the order of track and time."""
    _, track = np.unique(track_n, return_inverse=True)
    times, time = np.unique(ts, return_inverse=True)
    return np.asarray(track * len(times) + time, np.int64)


def _batch(
    entry_n: Ints, depth: Ints, parent_n: Ints, is_parent: NDArray[np.bool_]
) -> pa.RecordBatch:
    is_leaf = ~is_parent
    columns = [
        _column(pa.int64(), entry_n),
        _column(pa.int32(), depth.astype(np.int32)),
        _column(pa.int64(), parent_n, parent_n >= 0),
        _column(pa.bool_(), np.packbits(is_leaf, bitorder="little"), is_leaf),
    ]
    return pa.record_batch(columns, schema=SCHEMA)


def _column(
    kind: pa.DataType, values: NDArray[Any], is_valid: NDArray[np.bool_] | None = None
) -> pa.Array:
    # From buffers, because pa.array() of a NumPy array imports numpy.ma, and pandas where it is
    # installed.
    bits = None if is_valid is None else pa.py_buffer(np.packbits(is_valid, bitorder="little"))
    values = np.ascontiguousarray(values)
    n_rows = len(values) if is_valid is None else len(is_valid)  # of booleans, values are bits
    return pa.Array.from_buffers(kind, n_rows, [bits, pa.py_buffer(values)])


def nest_block(
    still_open: _Open,
    entry_n: Ints,
    track_n: Ints,
    ts: Ints,
    end_ts: Ints,
    order: Ints | None = None,
) -> tuple[pa.RecordBatch, _Open]:
    """Returns the rows of `nest` of what has ended, and what is open after these rows, which follow
    `still_open` in nesting order.

    All columns are int64 of equal length; times in ns. With `order`, the place that each row came
    from, rows return to these places, after `still_open`.
    """
    n_open = len(still_open.entry_n)
    track = np.concatenate((still_open.track_n, track_n))
    end = np.concatenate((still_open.end, end_ts))
    # The end a container must reach: a slice of duration 0 needs one that continues after it.
    need = np.concatenate((still_open.end, end_ts + (end_ts == ts)))
    parent = _parents(track, end, need, n_open)
    depth = _depths(parent, still_open.depth)
    entry = np.concatenate((still_open.entry_n, entry_n))
    parent_entry = np.where(parent < 0, -1, entry[parent])
    parent_entry[:n_open] = still_open.parent_n
    is_parent = np.zeros(len(entry) + 1, bool)  # the last place is that of no parent
    is_parent[:n_open] = still_open.is_parent
    is_parent[parent if entry.min(initial=0) >= 0 else parent[entry >= 0]] = True
    columns: list[NDArray[Any]] = [entry, depth, parent_entry, is_parent[:-1]]
    keep = np.flatnonzero(_open_at_end(track, end))
    places = keep
    if order is not None:
        place = np.concatenate((np.arange(n_open), order + n_open))
        columns = [_placed(column, place) for column in columns]
        places = np.sort(place[keep])
    ended = _batch(*(_without(column, places) for column in columns))
    carried = _Open(
        entry[keep], track[keep], end[keep], depth[keep], parent_entry[keep], is_parent[keep]
    )
    return ended, carried


def _placed(column: NDArray[Any], place: Ints) -> NDArray[Any]:
    """Returns a column with each value at its place."""
    placed = np.empty_like(column)
    placed[place] = column
    return placed


def _without(column: NDArray[Any], places: Ints) -> NDArray[Any]:
    """Returns a column without the given places, in ascending order."""
    if len(places) > _FEW:
        return np.delete(column, places)
    starts = [0, *(places + 1).tolist()]
    return np.concatenate(
        [column[a:b] for a, b in zip(starts, [*places.tolist(), len(column)], strict=True)]
    )


def _parents(track: Ints, end: Ints, need: Ints, n_open: int) -> Ints:
    """Returns the index of each row's parent, -1 for none; the first `n_open` form a chain."""
    parent = np.arange(-1, len(track) - 1, dtype=np.int64)
    parent[_roots(track, end, need)] = -1
    waiting = np.flatnonzero(parent >= 0)
    waiting = waiting[waiting >= n_open]
    while len(waiting):
        target = parent[waiting]
        waiting, target = _drop(waiting, target, end[target] < need[waiting])
        # All rows between a row and its target are too short for the target, hence for the row.
        parent[waiting] = parent[target]
        waiting = waiting[parent[waiting] >= 0]
    return parent


def _roots(track: Ints, end: Ints, need: Ints) -> NDArray[np.bool_]:
    """Returns rows that end later than all before them on their track, as nearly all on a stream.

    They are roots; pointer jumping would take logarithmically many rounds to find that out.
    """
    is_root = np.empty(len(track), bool)
    is_root[:1] = True
    np.not_equal(track[1:], track[:-1], out=is_root[1:])
    first = np.flatnonzero(is_root)
    if len(first) > _MANY_TRACKS:
        return is_root
    for start, stop in zip(first.tolist(), [*first[1:].tolist(), len(track)], strict=True):
        furthest = np.maximum.accumulate(end[start : stop - 1])
        np.greater(need[start + 1 : stop], furthest, out=is_root[start + 1 : stop])
    return is_root


def _drop(rows: Ints, targets: Ints, keep: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    return rows[keep], targets[keep]


def _depths(parent: Ints, open_depth: Ints) -> Ints:
    """Returns the length of each row's chain of parents, by pointer doubling."""
    depth = (parent >= 0).astype(np.int64)
    depth[: len(open_depth)] = open_depth
    jump = parent.copy()
    jump[: len(open_depth)] = -1  # their depth is given and ends every chain
    active = np.flatnonzero(jump >= 0)
    while len(active):
        target = jump[active]
        step, onward = depth[target], jump[target]
        depth[active] += step
        jump[active] = onward
        active = active[onward >= 0]
    return depth


def _open_at_end(track: Ints, end: Ints) -> NDArray[np.bool_]:
    """Returns the rows that may be parents of later rows of the last track."""
    if not len(track):
        return np.empty(0, bool)
    longest_after = np.maximum.accumulate(end[::-1])[::-1]
    keep = np.empty(len(end), bool)
    keep[-1] = True
    np.greater(end[:-1], longest_after[1:], out=keep[:-1])
    keep &= track == track[-1]
    return keep
