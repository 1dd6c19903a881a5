/* ---
name = "check_stream_overlap"
version = 1
title = "Operations of one stream that run at once"
help = """
A stream works in order. An operation that starts before one that started earlier on its stream
has ended overlaps it. Branches of a graph and dependent launches of newer devices do so by some
microseconds, so that is a note; one that lasts until after the end of a later one has a length
that is likely to be wrong: a warning. Operations of no length are left out.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "run"
type = "VARCHAR"
unit = "text"
help = "The run's name"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "The trace; NULL: the finding is of the whole run"

[[column]]
name = "trace"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The trace's name"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "check_name"
type = "VARCHAR"
unit = "text"
help = "What was looked for"

[[column]]
name = "severity"
type = "VARCHAR"
unit = "text"
check = "IN ('error', 'warning', 'note')"
help = "error: figures are wrong; warning: some may be; note: good to know"

[[column]]
name = "n_found"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it was found"

[[column]]
name = "n_looked_at"
type = "BIGINT"
unit = "count"
nullable = true
help = "Kernels, copies and memsets of the trace with a length"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "At most three, the longest first: slice, start on the scale of slice.ts, name, overlap"

[[column]]
name = "meaning"
type = "VARCHAR"
unit = "text"
help = "What it is, and what it does to figures"

[[column]]
name = "remedy"
type = "VARCHAR"
unit = "text"
help = "What can be done"

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
  'Read busy times, which count it once (utilization, breakdown), instead of sums of '
    || 'durations.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
