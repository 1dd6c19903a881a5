/* ---
name = "check_kernel_class"
version = 1
title = "Device work of no known class"
help = """
Work is compute, communication or memory, waits are sync. A kernel without a name is taken for
compute, because its class comes from its name.
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
help = "Device work of the trace, waits included"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "At most three: slice, start on the scale of slice.ts, name, class"

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
WITH placed AS (
  SELECT
    slice_id,
    trace_id,
    ts,
    name,
    class,
    row_number() OVER (PARTITION BY trace_id ORDER BY ts, slice_id) AS place
  FROM gpu_op
  WHERE class NOT IN ('compute', 'communication', 'memory', 'sync')
    OR (kind = 'kernel' AND coalesce(name, '') = '')
),
total AS (
  SELECT trace_id, count(*) AS n_ops
  FROM gpu_op
  GROUP BY trace_id
),
finding AS (
  SELECT
    p.trace_id,
    count(*) AS n_found,
    max(a.n_ops) AS n_looked_at,
    string_agg(
      CASE
        WHEN p.place <= 3
        THEN 'slice ' || p.slice_id || ' at ' || p.ts || ' ns: ' || left(coalesce(p.name, '(no name)'), 60) || ', ' || p.class
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
  'kernel_class' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'The class of device work is not known or was guessed; breakdowns by class leave it '
    || 'out or misplace it.' AS meaning,
  'Tell us its name and the device it runs on.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
