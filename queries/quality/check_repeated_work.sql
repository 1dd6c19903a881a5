/* ---
name = "check_repeated_work"
version = 1
title = "Device work that was recorded twice"
help = """
Operations of one track with the same start, length and name; those of no length are left out.
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
help = "Device work of the trace with a length"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "At most three: slice, start on the scale of slice.ts, name, how often"

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
  'Device work is in the file more than once; sums of durations count it as often.' AS meaning,
  'Look whether files were merged that hold the same events; import the originals.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
