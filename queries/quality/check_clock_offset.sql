/* ---
name = "check_clock_offset"
version = 3
title = "Trace without clock offset"
help = """
Traces of a run with several ranks whose clock has no offset to the shared time.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=11" }
scale = "run"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of traces of the run"
examples.help = "Clock without an offset"

[changes]
1 = "first version"
3 = "excludes runs in which all traces are of one rank"
2 = "excludes graph traces, which have no clock"
--- */
WITH run_size AS (
  SELECT run_id, count(*) AS n_traces
  FROM trace
  WHERE kind = 'timeline'
  GROUP BY run_id
  HAVING count(*) > 1 AND (count(DISTINCT rank) > 1 OR count(rank) < count(*))
),
finding AS (
  SELECT
    t.id AS trace_id,
    CAST(1 AS BIGINT) AS n_found,
    m.n_traces AS n_looked_at,
    coalesce('clock ' || c.id || ': ' || c.name, 'no clock') AS examples
  FROM trace AS t
  JOIN run_size AS m ON m.run_id = t.run_id
  LEFT JOIN clock AS c ON c.id = t.clock_id
  WHERE c.offset_ns IS NULL AND t.kind = 'timeline'
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'clock_offset' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'The offset of the trace''s clock to those of other ranks is unknown, so their times are '
    || 'not comparable.' AS meaning,
  'Compare durations, not times, of different ranks, or import all ranks so that the '
    || 'offsets can be derived from collectives.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
