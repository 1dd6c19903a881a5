/* ---
name = "check_unfinished_slice"
version = 1
title = "Slices that began and never ended"
help = """
Their length is -1 in the warehouse.
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
help = "Slices of the trace"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "At most three: slice, start on the scale of slice.ts, name"

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
WITH found AS (
  SELECT
    id AS slice_id,
    trace_id,
    ts,
    name,
    dur,
    row_number() OVER (PARTITION BY trace_id ORDER BY dur, ts, id) AS place
  FROM slice
  WHERE dur = -1
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
        THEN 'slice ' || o.slice_id || ' at ' || o.ts || ' ns: ' || left(coalesce(o.name, '(no name)'), 60)
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
  'unfinished_slice' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Slices have a beginning and no end in the file; every figure counts them as 0 ns.' AS meaning,
  'Stop the profiler after the work has ended; a file that was cut off lost its end.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
