/* ---
name = "check_negative_duration"
version = 1
title = "Negative slice duration"
help = """
Slices that end before they start. A duration of -1 ns marks an unfinished slice, reported by
check_unfinished_slice.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of slices of the trace"
examples.help = "Up to three: slice, start on the time axis of slice.ts, name, duration"

[changes]
1 = "first version"
--- */
WITH found AS (
  SELECT
    id AS slice_id,
    trace_id,
    ts,
    name,
    dur,
    row_number() OVER (PARTITION BY trace_id ORDER BY dur, ts, id) AS place
  FROM slice
  WHERE dur < -1
),
total AS (
  SELECT trace_id, count(*) AS n_slices
  FROM slice
  GROUP BY trace_id
),
finding AS (
  SELECT
    o.trace_id,
    count(*) AS n_found,
    max(a.n_slices) AS n_looked_at,
    string_agg(
      CASE
        WHEN o.place <= 3
        THEN 'slice ' || o.slice_id || ' at ' || o.ts || ' ns: ' || left(coalesce(o.name, '(no name)'), 60) || ', ' || o.dur || ' ns long'
      END,
      '; ' ORDER BY o.place
    ) AS examples
  FROM found AS o
  JOIN total AS a ON a.trace_id = o.trace_id
  GROUP BY o.trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'negative_duration' AS check_name,
  'error' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Slices have a negative recorded duration; every figure counts them as 0 ns.' AS meaning,
  'Record again with a newer profiler; until then, figures exclude their time.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
