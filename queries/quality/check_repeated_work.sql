/* ---
name = "check_repeated_work"
version = 1
title = "Device work recorded twice"
help = """
Operations of one track with equal start, duration and name; those of duration 0 are excluded.
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
n_looked_at.help = "Number of operations on devices of the trace with a duration above 0"
examples.help = "Up to three: slice, start on the time axis of slice.ts, name, number of records"

[changes]
1 = "first version"
--- */
WITH repeated AS (
  SELECT trace_id, track_id, ts, dur, name, count(*) AS n_copies, min(slice_id) AS slice_id
  FROM gpu_op
  WHERE dur > 0
  GROUP BY trace_id, track_id, ts, dur, name
  HAVING count(*) > 1
),
placed AS (
  SELECT
    trace_id,
    ts,
    name,
    n_copies,
    slice_id,
    row_number() OVER (PARTITION BY trace_id ORDER BY slice_id) AS place
  FROM repeated
),
total AS (
  SELECT trace_id, count(*) AS n_ops
  FROM gpu_op
  WHERE dur > 0
  GROUP BY trace_id
),
finding AS (
  SELECT
    p.trace_id,
    sum(p.n_copies - 1)::BIGINT AS n_found,
    max(a.n_ops) AS n_looked_at,
    string_agg(
      CASE
        WHEN p.place <= 3
        THEN 'slice ' || p.slice_id || ' at ' || p.ts || ' ns: ' || left(coalesce(p.name, '(no name)'), 60) || ', ' || p.n_copies || ' times'
      END,
      '; ' ORDER BY p.place
    ) AS examples
  FROM placed AS p
  JOIN total AS a ON a.trace_id = p.trace_id
  GROUP BY p.trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'repeated_work' AS check_name,
  'error' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Device work is in the file more than once; sums of durations count every copy.' AS meaning,
  'Check whether files with the same events were merged; import the originals.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
