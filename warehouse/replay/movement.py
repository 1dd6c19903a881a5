"""Where a prediction moves the slices of a run: from measured to simulated times, by track.

Each occurrence of a node (query replay_occurrence) gives two points of its track: its measured
start and end, and where the replay has them. Between points times are moved in proportion, so that
what nests or follows on a track still does. Tracks without nodes move as the track of their trace
that has most. Points are computed only of tracks on which more than whole nodes is moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from warehouse.replay import path

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from warehouse.replay.graph import Graph

#: Steps follow each other as measured: each is as much longer as its replay.
_PLACED = """
WITH step AS (
  SELECT step, max(measured_end_ns - origin_ns) AS measured_ns
  FROM occurrence
  GROUP BY step
),
shifted AS (
  SELECT
    step,
    coalesce(sum((SELECT max(end_ns) FROM time) - measured_ns) OVER (
      ORDER BY step ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0) AS shift_ns
  FROM step
)
SELECT
  o.node_id, o.step, o.trace_id, o.track_id, o.slice_id,
  o.measured_start_ns AS from_ts, o.measured_end_ns AS from_end_ts,
  o.origin_ns + s.shift_ns + least(
    b.start_ns + o.start_lag_ns - CASE WHEN o.is_from_ready THEN b.queue_ns ELSE 0 END, t.end_ns
  ) AS to_ts,
  o.origin_ns + s.shift_ns + t.end_ns AS to_end_ts
FROM ({chosen}) AS o
JOIN shifted AS s USING (step)
JOIN time AS t ON t.node_id = o.node_id
JOIN time AS b ON b.node_id = o.start_node_id
WHERE o.node_id NOT IN (SELECT node_id FROM node WHERE kind = 'dropped')
"""
#: The first point of a track is the start of its trace, which does not move.
_SEGMENTS = """
CREATE TEMP TABLE segment AS
WITH used AS MATERIALIZED (
  SELECT * FROM placed WHERE track_id IN (SELECT guide_id FROM moving)
),
point AS (
  SELECT trace_id, track_id, from_ts AS point_ts, to_ts AS at_ts FROM used
  UNION ALL
  SELECT trace_id, track_id, from_end_ts, to_end_ts FROM used
  UNION ALL
  SELECT DISTINCT p.trace_id, p.track_id, t.start_ts, t.start_ts
  FROM used AS p
  JOIN trace AS t ON t.id = p.trace_id
),
growing AS (
  SELECT trace_id, track_id, point_ts, max(at_ts) OVER (
    PARTITION BY track_id ORDER BY point_ts, at_ts ROWS UNBOUNDED PRECEDING
  ) AS at_ts
  FROM point
),
distinct_point AS (
  SELECT trace_id, track_id, point_ts, min(at_ts) AS first_to, max(at_ts) AS last_to
  FROM growing
  GROUP BY trace_id, track_id, point_ts
)
SELECT
  trace_id, track_id, point_ts, last_to AS at_ts,
  coalesce(
    (lead(first_to) OVER of_track - last_to) / (lead(point_ts) OVER of_track - point_ts), 1
  ) AS ratio
FROM distinct_point
WINDOW of_track AS (PARTITION BY track_id ORDER BY point_ts)
"""
_GUIDES = """
CREATE TEMP TABLE guide AS
WITH busy AS (
  SELECT trace_id, track_id, count(*) AS n FROM placed GROUP BY trace_id, track_id
),
busiest AS (
  SELECT trace_id, arg_max(track_id, (n, -track_id)) AS track_id
  FROM busy
  GROUP BY trace_id
)
SELECT
  k.id AS track_id,
  CASE WHEN k.id IN (SELECT track_id FROM busy) THEN k.id ELSE b.track_id END AS guide_id
FROM track AS k
LEFT JOIN busiest AS b ON b.trace_id = k.trace_id
WHERE k.trace_id IN (SELECT unnest($traces::BIGINT[]))
"""
#: Slices, with the times of those that are an occurrence as a whole: of collectives from the
#: arrival, which takes no time, to the end of the transfer.
_WHOLE = """
CREATE TEMP TABLE whole AS
WITH exact AS (
  SELECT slice_id, from_ts, from_end_ts, min(to_ts) AS to_ts, max(to_end_ts) AS to_end_ts
  FROM placed
  GROUP BY slice_id, from_ts, from_end_ts
),
begin AS (
  SELECT slice_id, from_ts, min(to_ts) AS to_ts
  FROM placed
  WHERE from_ts = from_end_ts
  GROUP BY slice_id, from_ts
)
SELECT s.id, s.ts, s.dur, g.guide_id, least(x.to_ts, b.to_ts) AS to_ts, x.to_end_ts
FROM slice AS s
JOIN guide AS g ON g.track_id = s.track_id
LEFT JOIN exact AS x
  ON x.slice_id = s.id AND x.from_ts = s.ts AND x.from_end_ts = s.ts + s.dur
LEFT JOIN begin AS b
  ON b.slice_id = s.id AND b.from_ts = s.ts AND x.slice_id IS NOT NULL
WHERE s.trace_id IN (SELECT unnest($traces::BIGINT[]))
"""
#: Slices that are an occurrence as a whole take its times; others are moved by the segments.
_SLICES = """
CREATE TEMP TABLE moved AS
WITH begun AS (
  SELECT o.* REPLACE (coalesce(m.at_ts + (o.ts - m.point_ts) * m.ratio, o.ts) AS to_ts)
  FROM (FROM whole WHERE to_ts IS NULL) AS o
  ASOF LEFT JOIN segment AS m ON m.track_id = o.guide_id AND o.ts >= m.point_ts
),
ended AS (
  SELECT b.* REPLACE (
    coalesce(m.at_ts + (b.ts + b.dur - m.point_ts) * m.ratio, b.ts + b.dur) AS to_end_ts
  )
  FROM begun AS b
  ASOF LEFT JOIN segment AS m ON m.track_id = b.guide_id AND b.ts + b.dur > m.point_ts
)
SELECT
  id,
  ts,
  dur,
  to_ts,
  CASE WHEN dur <= 0 THEN dur ELSE greatest(to_end_ts - to_ts, 0) END AS to_dur
FROM (
  SELECT id, ts, dur, round(to_ts)::BIGINT AS to_ts, round(to_end_ts)::BIGINT AS to_end_ts
  FROM (FROM whole WHERE to_ts IS NOT NULL UNION ALL FROM ended)
)
"""


def placed(graph: Graph) -> pa.Table:
    """Where the simulated times of a graph put each occurrence of its nodes."""
    columns = "trace_id, track_id, slice_id, from_ts, from_end_ts, to_ts, to_end_ts"
    moved = _PLACED.format(chosen="FROM occurrence")
    return graph.connection.sql(f"SELECT {columns} FROM ({moved})").to_arrow_table()


def path_of(graph: Graph) -> pa.Table:
    """The critical path of the last simulation: its rows measured, and where they are moved."""
    chosen = "FROM occurrence WHERE node_id IN (SELECT node_id FROM path_node)"
    return path.rows(graph, _PLACED.format(chosen=chosen))


def create_tables(
    connection: duckdb.DuckDBPyConnection,
    occurrences: pa.Table,
    trace_ids: list[int],
    of_points: Sequence[str],
) -> None:
    """Creates TEMP tables: moves of slices (`moved`), and of times by track (`segment`, `guide`).

    The connection has the tables of the warehouse; those named `of_points` have times on tracks.
    """
    traces = {"traces": trace_ids}
    connection.register("placed", occurrences)
    connection.execute(_GUIDES, traces)
    connection.execute(_WHOLE, traces)
    tracks = ["SELECT guide_id FROM whole WHERE to_ts IS NULL"]
    for table in of_points:
        tracks.append(
            f"SELECT guide_id FROM guide WHERE track_id IN (SELECT track_id FROM {table} "
            f"WHERE trace_id IN ({', '.join(map(str, trace_ids))}))"
        )
    connection.execute(f"CREATE TEMP TABLE moving AS {' UNION '.join(tracks)}")
    connection.execute(_SEGMENTS)
    connection.execute(_SLICES)
    connection.execute("DROP TABLE whole")
    connection.unregister("placed")
