"""Divides the slices of a scope into parts of a bounded number of rows, in the order of the file.

Sorting all slices with their arguments at once would take memory that grows with the scope. Slices
are stored in runs of one track, so that a part, a range of tracks or of times on one track, reads
few row groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

PART_ROWS = 131_072

_Group = tuple[int, int]  # a lane: track id, number of the lane on its track


@dataclass(frozen=True)
class Part:
    """The slices of consecutive lanes, or those of one lane in the times [from_ts, to_ts)."""

    first: _Group
    last: _Group
    from_ts: int | None = None
    to_ts: int | None = None

    def track_condition(self, alias: str) -> str:
        """Returns the condition of rows with the column track_id, of which some are in the part."""
        return f"{alias}.track_id BETWEEN {self.first[0]} AND {self.last[0]}"

    def condition(self, alias: str) -> str:
        """Returns the condition of rows with the columns track_id and ts; ignores lanes."""
        terms = [self.track_condition(alias)]
        if self.from_ts is not None:
            terms.append(f"{alias}.ts >= {self.from_ts}")
        if self.to_ts is not None:
            terms.append(f"{alias}.ts < {self.to_ts}")
        return " AND ".join(terms)

    def lane_condition(self, alias: str, lane: str) -> str:
        """Returns `condition` for slices whose lane is given by the expression `lane`."""
        return (
            f"{self.condition(alias)} AND ({alias}.track_id, {lane}) BETWEEN "
            f"({self.first[0]}, {self.first[1]}) AND ({self.last[0]}, {self.last[1]})"
        )


def divide(
    connection: duckdb.DuckDBPyConnection, slices: str, lanes: str | None = None
) -> list[Part]:
    """Returns parts that cover `slices`, a relation with the columns id, track_id and ts.

    `lanes` is a relation of slice_id, track_id and lane, for slices that are not on lane 0. A part
    has more than PART_ROWS rows only where more slices begin at one time.
    """
    parts: list[Part] = []
    waiting: list[_Group] = []
    n_waiting = 0
    for group, n_rows in _counts(connection, slices, lanes):
        if waiting and n_waiting + n_rows > PART_ROWS:
            parts.append(Part(waiting[0], waiting[-1]))
            waiting, n_waiting = [], 0
        if n_rows > PART_ROWS:
            parts += _by_time(connection, slices, group, n_rows)
        else:
            waiting.append(group)
            n_waiting += n_rows
    if waiting:
        parts.append(Part(waiting[0], waiting[-1]))
    return parts


def _counts(
    connection: duckdb.DuckDBPyConnection, slices: str, lanes: str | None
) -> Iterator[tuple[_Group, int]]:
    """Yields the lanes of all tracks with their number of slices, in order."""
    by_track = f"SELECT track_id, 0 AS lane, count(*) AS n FROM {slices} GROUP BY track_id"
    if lanes is not None:
        by_lane = f"SELECT track_id, lane, count(*) AS n FROM {lanes} GROUP BY track_id, lane"
        moved = f"SELECT track_id, 0, -count(*) FROM {lanes} GROUP BY track_id"
        by_track = f"{by_track} UNION ALL {by_lane} UNION ALL {moved}"
    rows = connection.execute(
        f"SELECT track_id, lane, sum(n)::BIGINT FROM ({by_track}) GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    for track_id, lane, n_rows in rows:
        yield (track_id, lane), n_rows


def _by_time(
    connection: duckdb.DuckDBPyConnection, slices: str, group: _Group, n_rows: int
) -> Iterator[Part]:
    """Divides one lane at quantiles of its track's times."""
    n_parts = -(-n_rows // PART_ROWS)
    shares = ", ".join(str(k / n_parts) for k in range(1, n_parts))
    ((found,),) = connection.execute(
        f"SELECT approx_quantile(ts, [{shares}]) FROM {slices} WHERE track_id = {group[0]}"
    ).fetchall()
    times = [None, *sorted(set(found)), None]
    for start, end in pairwise(times):
        yield Part(group, group, start, end)
