"""Assigns lanes to slices that overlap without nesting, so that viewers drop none.

In a viewer a track is a stack: a slice ends before, or with, its parent. Real tracks violate this:
kernels that overlap by rounding, async groups, wrong clocks. A query selects these tracks; the
others are not processed here.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from warehouse.export.perfetto import load
from warehouse.export.perfetto.parts import Part, divide

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

    def place_all(self, starts: Sequence[int], ends: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Places slices in order; yields the position and lane of each that is not on lane 0."""
        nested, is_flat = self.open_ends[0], self.is_flat
        for n, (ts, end) in enumerate(zip(starts, ends, strict=True)):
            while nested and nested[-1] <= ts:
                nested.pop()
            if not nested or (not is_flat and end <= nested[-1]):
                nested.append(end)
            else:
                yield n, self.place(ts, end)


def assign(connection: duckdb.DuckDBPyConnection, stored: str) -> tuple[dict[int, int], int]:
    """Creates the TEMP table `export_lane(slice_id, track_id, lane)`: a row for each slice not on
    lane 0.

    Ranges projected onto streams (ranges.py) are among them.

    `stored`: the schema of the stored tables, quoted. Returns how many extra lanes each track
    needs, and how many slices are on them.
    """
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE export_lane (slice_id BIGINT, track_id BIGINT, lane BIGINT)"
    )
    overlapping = _overlapping(connection, stored)
    ((n_ranges,),) = connection.execute("SELECT count(*) FROM export_range").fetchall()
    if not overlapping and not n_ranges:
        return {}, 0
    tracks = ", ".join(map(str, overlapping)) or "NULL"
    placed = (
        f"(SELECT track_id, id, ts, dur FROM slice WHERE track_id IN ({tracks})"
        " UNION ALL SELECT track_id, id, ts, dur FROM export_range)"
    )
    extra: dict[int, int] = {}
    n_placed, state, current = 0, Lanes(), None
    for part in divide(connection, placed):
        slice_ids, track_ids, lanes = array("q"), array("q"), array("q")
        # A loop over rows, only of these tracks: a lane depends on the lanes of all earlier slices.
        for track_id, ids, starts, ends in _rows(connection, placed, part):
            if track_id != current:
                state, current = Lanes(is_flat=overlapping.get(track_id, False)), track_id
            for n, lane in state.place_all(starts, ends):
                slice_ids.append(ids[n])
                track_ids.append(track_id)
                lanes.append(lane)
                extra[track_id] = len(state.open_ends) - 1
        _store(connection, {"slice_id": slice_ids, "track_id": track_ids, "lane": lanes})
        n_placed += len(lanes)
    return extra, n_placed


def _overlapping(connection: duckdb.DuckDBPyConnection, stored: str) -> dict[int, bool]:
    """Returns the tracks on which slices may overlap without nesting, and whether each is flat."""
    timed = f"""(
        SELECT id, trace_id, track_id, ts, dur, depth FROM {stored}.slice
        WHERE dur <> 0 AND trace_id IN (SELECT trace_id FROM export_trace)
    )"""
    found: dict[int, bool] = {}
    ends: dict[tuple[int, int | None], int] = {}  # of each depth, in earlier parts
    for part in divide(connection, timed):
        query = load("overlaps", stored=timed, in_part=part.condition("e"))
        for track_id, depth, is_flat, is_odd, start, end in connection.execute(query).fetchall():
            if is_odd or start < ends.get((track_id, depth), start):
                found[track_id] = is_flat
            ends[track_id, depth] = end
    return found


def _rows(
    connection: duckdb.DuckDBPyConnection, placed: str, part: Part
) -> Iterator[tuple[int, list[int], list[int], list[int]]]:
    """Yields a track, and ids, starts and ends of consecutive slices of it."""
    reader = connection.sql(f"""
        SELECT
          track_id,
          id,
          ts,
          CASE WHEN dur = -1 THEN {UNFINISHED_END} ELSE ts + greatest(dur, 0) END AS end_ts
        FROM {placed} AS e
        WHERE {part.condition("e")}
        ORDER BY track_id, ts, end_ts DESC, id
    """).to_arrow_reader(_BATCH_ROWS)
    for batch in reader:
        tracks, *columns = (column.to_numpy() for column in batch.columns)
        of_tracks = np.flatnonzero(np.diff(tracks)) + 1
        bounds = [0, *of_tracks.tolist(), len(tracks)] if len(tracks) else []
        for first, last in pairwise(bounds):
            ids, starts, ends = (column[first:last].tolist() for column in columns)
            yield int(tracks[first]), ids, starts, ends


def _store(connection: duckdb.DuckDBPyConnection, columns: dict[str, array[int]]) -> None:
    import pyarrow as pa

    if not len(columns["lane"]):
        return
    connection.register("placed", pa.table(columns))
    connection.execute("INSERT INTO export_lane SELECT slice_id, track_id, lane FROM placed")
    connection.unregister("placed")
