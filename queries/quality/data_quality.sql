/* ---
name = "data_quality"
version = 2
title = "Completeness of each trace"
help = """
Counts of problems, and shares of device work with known causes. `tw check` explains each kind of
defect and its remedy.
"""
grain = ["trace_id"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "n_slices", "n_unfinished", "n_negative",
  "n_unused", "n_errors", "n_repairs", "n_ops", "launch_share", "operator_share", "step_share",
  "n_steps", "clock_method", "uncertainty_ns",
]

[column]
trace.nullable = false
n_unfinished = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of unfinished slices" }
n_negative = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of slices that end before they start" }
n_errors = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of places where the import lost data" }
n_repairs = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of places repaired by the import" }
n_ops = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of kernels, copies and memsets" }
n_steps = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of steps" }
uncertainty_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Half width of the interval of the offset" }

[column.launch_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Share of n_ops with a known launch; NULL without operations"

[column.operator_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Share of n_ops with a known operator, also by the capture of a graph (as in coverage); NULL without operations"

[column.step_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Share of n_ops that belong to a step; NULL without operations"

[column.clock_method]
type = "VARCHAR"
unit = "text"
nullable = true
help = "How the clock offset to the run's shared time was determined; NULL: unknown"

[changes]
2 = "operators of captured graphs are known"
1 = "first version"
--- */
WITH slice_count AS (
  SELECT
    trace_id,
    count(*) AS n_slices,
    sum(CASE WHEN dur = -1 THEN 1 ELSE 0 END)::BIGINT AS n_unfinished,
    sum(CASE WHEN dur < -1 THEN 1 ELSE 0 END)::BIGINT AS n_negative
  FROM slice
  GROUP BY trace_id
),
unused AS (
  SELECT trace_id, sum(value)::BIGINT AS n_unused
  FROM import_stat
  WHERE name = 'unused'
  GROUP BY trace_id
),
problem AS (
  SELECT
    trace_id,
    sum(CASE WHEN severity = 'error' THEN "count" ELSE 0 END)::BIGINT AS n_errors,
    sum(CASE WHEN severity = 'warning' THEN "count" ELSE 0 END)::BIGINT AS n_repairs
  FROM import_problem
  GROUP BY trace_id
),
-- An operation has at most one launch, operator and step.
stepped AS (
  SELECT to_id AS slice_id
  FROM whole_link
  WHERE kind = 'step' AND link_set = 'default'
),
op AS (
  SELECT
    c.trace_id,
    count(*) AS n_ops,
    count(c.launch_id) AS n_launched,
    count(c.cpu_op_id) AS n_with_operator,
    count(s.slice_id) AS n_stepped
  FROM gpu_op_cause AS c
  LEFT JOIN stepped AS s ON s.slice_id = c.slice_id
  GROUP BY c.trace_id
),
stepping AS (
  SELECT trace_id, count(*) AS n_steps
  FROM step
  GROUP BY trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  coalesce(a.n_slices, 0) AS n_slices,
  coalesce(a.n_unfinished, 0) AS n_unfinished,
  coalesce(a.n_negative, 0) AS n_negative,
  coalesce(u.n_unused, 0) AS n_unused,
  coalesce(p.n_errors, 0) AS n_errors,
  coalesce(p.n_repairs, 0) AS n_repairs,
  coalesce(o.n_ops, 0) AS n_ops,
  o.n_launched / o.n_ops AS launch_share,
  o.n_with_operator / o.n_ops AS operator_share,
  o.n_stepped / o.n_ops AS step_share,
  coalesce(s.n_steps, 0) AS n_steps,
  CASE WHEN c.offset_ns IS NOT NULL THEN c.method END AS clock_method,
  CASE WHEN c.offset_ns IS NOT NULL THEN c.uncertainty_ns END AS uncertainty_ns
FROM trace AS t
JOIN run AS r ON r.id = t.run_id
LEFT JOIN slice_count AS a ON a.trace_id = t.id
LEFT JOIN unused AS u ON u.trace_id = t.id
LEFT JOIN problem AS p ON p.trace_id = t.id
LEFT JOIN op AS o ON o.trace_id = t.id
LEFT JOIN stepping AS s ON s.trace_id = t.id
LEFT JOIN clock AS c ON c.id = t.clock_id
ORDER BY t.run_id, t.rank, t.id
