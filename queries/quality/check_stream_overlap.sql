/* ---
name = "check_stream_overlap"
version = 1
title = "Overlapping operations on one stream"
help = """
A stream executes in order. An operation that starts before one that started earlier on its stream
has ended overlaps it. Branches of a graph and dependent launches of newer devices overlap by some
microseconds: a note. An operation that lasts beyond the end of a later one probably has a wrong
duration: a warning. Operations of duration 0 are excluded.
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
n_looked_at.help = "Number of kernels, copies and memsets of the trace with a duration above 0"
examples.help = "Up to three, longest first: slice, start on the time axis of slice.ts, name, overlap"

[changes]
1 = "first version"
--- */
WITH op AS (
  SELECT
    slice_id,
    ts,
    dur,
    max(ts + dur) OVER (
      PARTITION BY track_id ORDER BY ts, slice_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach_ts
  FROM gpu_op
  WHERE kind <> 'sync' AND dur > 0
),
placed AS (
  SELECT
    o.slice_id,
    g.trace_id,
    o.ts,
    g.name,
    o.reach_ts - o.ts AS overlap_ns,
    o.reach_ts > o.ts + o.dur AS is_inside,
    row_number() OVER (PARTITION BY g.trace_id ORDER BY o.reach_ts - o.ts DESC, o.slice_id) AS place
  FROM gpu_op AS g
  JOIN op AS o ON o.slice_id = g.slice_id
  WHERE o.reach_ts > o.ts
),
total AS (
  SELECT trace_id, count(*) AS n_ops
  FROM gpu_op
  WHERE kind <> 'sync' AND dur > 0
  GROUP BY trace_id
),
finding AS (
  SELECT
    p.trace_id,
    count(*) AS n_found,
    sum(CASE WHEN p.is_inside THEN 1 ELSE 0 END)::BIGINT AS n_inside,
    max(p.overlap_ns) AS longest_ns,
    max(a.n_ops) AS n_looked_at,
    string_agg(
      CASE
        WHEN p.place <= 3
        THEN 'slice ' || p.slice_id || ' at ' || p.ts || ' ns: ' || left(coalesce(p.name, '(no name)'), 60) || ', ' || p.overlap_ns || ' ns'
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
  'stream_overlap' AS check_name,
  CASE WHEN f.n_inside > 0 THEN 'warning' ELSE 'note' END AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Operations start before an earlier one of their stream has ended, by up to ' || f.longest_ns
    || ' ns; ' || f.n_inside || ' of them also end before it. Sums of durations count that time twice.' AS meaning,
  'Use busy times, which count it once (utilization, breakdown), instead of sums of '
    || 'durations.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
