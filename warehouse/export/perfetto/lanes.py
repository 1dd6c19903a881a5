"""Assigns lanes to slices that overlap without nesting, so that viewers drop none.

In a viewer a track is a stack: a slice ends before, or with, its parent. Real tracks violate this:
kernels that overlap by rounding, async groups, wrong clocks. A query selects these tracks; the
others are not processed here.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from warehouse.export.perfetto import load

if TYPE_CHECKING:
    import duckdb

UNFINISHED_END = 2**63 - 1  # after all other times
_BATCH_ROWS = 100_000


class Lanes:
    """The lanes of one track; slices are placed in order of start, longest first.

    On a flat track no slice contains another: slices that overlap at all go on different lanes.
    """

    def __init__(self, *, is_flat: bool = False) -> None:
        self.open_ends: list[list[int]] = [[]]  # a stack of open slices' ends for each lane
        self.is_flat = is_flat

    def place(self, ts: int, end: int) -> int:
        """Returns the first lane on which [ts, end] nests in the open slices."""
        for lane, ends in enumerate(self.open_ends):
            while ends and ends[-1] <= ts:
                ends.pop()
            if not ends or (not self.is_flat and end <= ends[-1]):
                ends.append(end)
                return lane
        self.open_ends.append([end])
        return len(self.open_ends) - 1


def assign(connection: duckdb.DuckDBPyConnection, stored: str) -> tuple[dict[int, int], int]:
    """Creates the TEMP table `export_lane(slice_id, lane)`: a row for each slice not on lane 0.

    Ranges projected onto streams (ranges.py) are among them.

    `stored`: the schema of the stored tables, quoted. Returns how many extra lanes each track
    needs, and how many slices are on them.
    """
    connection.execute("CREATE OR REPLACE TEMP TABLE export_lane (slice_id BIGINT, lane BIGINT)")
    overlapping = connection.execute(load("overlaps", stored=stored)).fetchall()
    ((n_ranges,),) = connection.execute("SELECT count(*) FROM export_range").fetchall()
    if not overlapping and not n_ranges:
        return {}, 0
    tracks = ", ".join(str(row[0]) for row in overlapping)
    flat = {track_id for track_id, is_flat in overlapping if is_flat}
    slice_ids, lanes, extra = array("q"), array("q"), {}
    state, current = Lanes(), None
    # A loop over rows, only of these tracks: a lane depends on the lanes of all earlier slices.
    for track_id, slice_id, ts, end in _rows(connection, tracks):
        if track_id != current:
            state, current = Lanes(is_flat=track_id in flat), track_id
        lane = state.place(ts, end)
        if lane:
            slice_ids.append(slice_id)
            lanes.append(lane)
            extra[track_id] = len(state.open_ends) - 1
    _store(connection, slice_ids, lanes)
    return extra, len(lanes)


def _rows(connection: duckdb.DuckDBPyConnection, tracks: str) -> Any:
    result = connection.execute(f"""
        SELECT
          track_id,
          id,
          ts,
          CASE WHEN dur = -1 THEN {UNFINISHED_END} ELSE ts + greatest(dur, 0) END AS end_ts
        FROM (
          SELECT track_id, id, ts, dur FROM slice WHERE track_id IN ({tracks or "NULL"})
          UNION ALL
          SELECT track_id, id, ts, dur FROM export_range
        )
        ORDER BY track_id, ts, end_ts DESC, id
    """)
    while rows := result.fetchmany(_BATCH_ROWS):
        yield from rows


def _store(connection: duckdb.DuckDBPyConnection, slice_ids: array[int], lanes: array[int]) -> None:
    import pyarrow as pa

    if not len(lanes):
        return
    connection.register("placed", pa.table({"slice_id": slice_ids, "lane": lanes}))
    connection.execute("INSERT INTO export_lane SELECT slice_id, lane FROM placed")
    connection.unregister("placed")
