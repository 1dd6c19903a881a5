/* ---
name = "replay_host_time"
version = 1
title = "What each piece of a host thread spends in operators, annotations and calls, by name"
help = """
Of slices of one name inside each other the outermost counts, and where two cross, the time of both
counts once. Pieces are those of replay_piece, without their waiting.
"""
grain = ["track_id", "place", "name"]
requires = { schema = ">=17", queries = ["replay_piece@1"] }
scale = "run"
columns = ["trace_id", "track_id", "place", "name", "host_ns"]

[column]
track_id.help = "Thread"
place = { type = "BIGINT", unit = "count", check = ">= 1", help = "Place of the piece among those of the thread" }
name.help = "Name of the operator, annotation or call"
host_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Time of the piece within slices of the name" }

[changes]
1 = "first version"
--- */
WITH piece AS (
  SELECT
    trace_id,
    track_id,
    end_ns - dur_ns AS start_ns,
    end_ns,
    row_number() OVER (PARTITION BY track_id ORDER BY end_ns) AS place
  FROM replay_piece()
),
-- Those that last are disjoint: numbered without gaps.
lasting AS MATERIALIZED (
  SELECT *, row_number() OVER (PARTITION BY track_id ORDER BY end_ns) AS n
  FROM piece
  WHERE start_ns < end_ns
),
host AS (
  SELECT track_id, name, ts, dur FROM whole_cpu_op
  UNION ALL
  SELECT track_id, name, ts, dur FROM whole_launch
  UNION ALL
  SELECT track_id, name, ts, dur FROM whole_annotation WHERE side = 'host'
),
reach AS (
  SELECT
    track_id,
    name,
    ts AS start_ns,
    ts + dur AS end_ns,
    max(ts + dur) OVER (
      PARTITION BY track_id, name ORDER BY ts, dur DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reached_ns
  FROM host
  WHERE dur > 0
),
covered AS (
  SELECT track_id, name, greatest(start_ns, coalesce(reached_ns, start_ns)) AS start_ns, end_ns
  FROM reach
  WHERE reached_ns IS NULL OR end_ns > reached_ns
),
-- The first piece that ends after the slice begins, and the last that begins before it ends.
extent AS (
  SELECT c.track_id, c.name, c.start_ns, c.end_ns, a.n AS first_n, b.n AS last_n
  FROM covered AS c
  ASOF JOIN lasting AS a ON a.track_id = c.track_id AND c.start_ns < a.end_ns
  ASOF JOIN lasting AS b ON b.track_id = c.track_id AND c.end_ns > b.start_ns
),
crossed AS (
  SELECT track_id, name, start_ns, end_ns, unnest(range(first_n, last_n + 1)) AS n
  FROM extent
)
SELECT
  p.trace_id,
  p.track_id,
  p.place,
  c.name,
  sum(least(p.end_ns, c.end_ns) - greatest(p.start_ns, c.start_ns))::BIGINT AS host_ns
FROM crossed AS c
JOIN lasting AS p ON p.track_id = c.track_id AND p.n = c.n
GROUP BY p.trace_id, p.track_id, p.place, c.name
ORDER BY p.track_id, p.place, c.name
