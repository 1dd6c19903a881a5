/* ---
name = "op_by_step"
version = 1
title = "Operators by step and name, with their time of their own"
help = """
self_ns is the time of a call without the slices directly below it, of any category; a call
shorter than these counts 0, and so does one of negative length or that never ended. A call
belongs to the step in which it begins.
"""
grain = ["trace_id", "step_id", "name"]
portable = false
requires = { schema = ">=1", queries = ["step_window@1"] }

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "step_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The step; NULL: none"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
help = "The operator; (no name) where it has none"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Calls"

[[column]]
name = "self_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the times without children"

[changes]
1 = "first version"
--- */
WITH child AS (
  SELECT parent_id, sum(greatest(dur, 0)) AS below_ns
  FROM slice
  WHERE parent_id IS NOT NULL
  GROUP BY parent_id
),
call AS (
  SELECT
    o.trace_id,
    o.track_id,
    o.ts,
    o.name,
    greatest(greatest(o.dur, 0) - coalesce(c.below_ns, 0), 0) AS self_ns
  FROM cpu_op AS o
  LEFT JOIN child AS c ON c.parent_id = o.slice_id
),
placed AS (
  SELECT
    c.trace_id,
    CASE WHEN c.ts < w.end_ns THEN w.step_id END AS step_id,
    c.name,
    c.self_ns
  FROM call AS c
  LEFT JOIN track AS k ON k.id = c.track_id
  ASOF LEFT JOIN step_window() AS w
    ON w.trace_id = c.trace_id
    AND coalesce(w.process_id, -1) = coalesce(k.process_id, -1)
    AND c.ts >= w.start_ns
)
SELECT
  trace_id,
  step_id,
  coalesce(name, '(no name)') AS name,
  count(*) AS n_calls,
  sum(self_ns)::BIGINT AS self_ns
FROM placed
GROUP BY trace_id, step_id, coalesce(name, '(no name)')
