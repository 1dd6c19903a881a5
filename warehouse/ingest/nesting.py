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
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_MANY_TRACKS = 1 << 12  # in a block: processing single slices would take longer than it saves
BLOCK_ROWS = 1 << 18  # bounds memory: a block carries over only open slices

SCHEMA = pa.schema([("entry_n", pa.int64()), ("depth", pa.int32()), ("parent_n", pa.int64())])

#: `entry` is created by the importer: slices, and other records that need their enclosing slice.
_ORDERED = """
SELECT entry_n, track_n, ts, ts + reach AS end_ts
FROM entry
ORDER BY track_n, ts, reach DESC, seq
"""


@dataclass
class _Open:
    """Open slices: those that may contain later ones, outermost first."""

    entry_n: Ints
    track_n: Ints
    end: Ints
    depth: Ints

    @staticmethod
    def none() -> _Open:
        return _Open(*(np.empty(0, np.int64) for _ in range(4)))


def nest(connection: duckdb.DuckDBPyConnection) -> None:
    """Creates the table `nest` (entry_n, depth, parent_n) from the scratch table `entry`."""
    cursor = connection.cursor()
    ordered = cursor.sql(_ORDERED).to_arrow_reader(BLOCK_ROWS)
    nested = pa.RecordBatchReader.from_batches(SCHEMA, _nested(ordered))
    connection.register("nested", nested)
    connection.execute("CREATE OR REPLACE TABLE nest AS FROM nested")
    connection.unregister("nested")
    cursor.close()


def _nested(ordered: Any) -> Iterator[pa.RecordBatch]:
    still_open = _Open.none()
    for batch in ordered:
        columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
        depth, parent, still_open = nest_block(still_open, *columns)
        yield pa.record_batch(
            [
                batch.column(0),
                _column(pa.int32(), depth.astype(np.int32)),
                _column(pa.int64(), parent, parent >= 0),
            ],
            schema=SCHEMA,
        )


def _column(
    kind: pa.DataType, values: NDArray[Any], is_valid: NDArray[np.bool_] | None = None
) -> pa.Array:
    # From buffers, because pa.array() of a NumPy array imports numpy.ma, and pandas where it is
    # installed.
    bits = None if is_valid is None else pa.py_buffer(np.packbits(is_valid, bitorder="little"))
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(values)])


def nest_block(
    still_open: _Open, entry_n: Ints, track_n: Ints, ts: Ints, end_ts: Ints
) -> tuple[Ints, Ints, _Open]:
    """Returns depths and parents (-1 for roots) of rows that follow `still_open`, in nesting order.

    All columns are int64 of equal length; times in ns.
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
    keep = _open_at_end(track, end)
    carried = _Open(entry[keep], track[keep], end[keep], depth[keep])
    return depth[n_open:], parent_entry[n_open:], carried


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
