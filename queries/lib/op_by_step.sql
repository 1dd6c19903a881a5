/* ---
name = "op_by_step"
version = 1
title = "Operators by step and name, with self time"
help = """
self_ns is the duration of a call minus its direct children of any category; a call shorter than
these counts as 0, as does one of negative duration or an unfinished one. A call belongs to the step
in which it begins. In a time window self_ns is of the parts inside it.
"""
grain = ["trace_id", "step_id", "name"]
requires = { schema = ">=1", queries = ["cut_slice@1", "step_window@1"] }
portable = false
columns = ["trace_id", "step_id", "name", "n_calls", "self_ns"]

[column]
step_id = { nullable = true, help = "Step; NULL: none" }
name = { nullable = false, help = "Operator name; (no name) if there is none" }
n_calls.help = "Number of calls"
self_ns.help = "Sum of the self times"

[changes]
1 = "first version"
--- */
WITH child AS (
  SELECT
    s.parent_id,
    sum(greatest(least(s.ts + s.dur, w.to_ns) - greatest(s.ts, w.from_ns), 0))
      AS below_ns
  FROM slice AS s
  CROSS JOIN time_window AS w
  WHERE s.parent_id IS NOT NULL
  GROUP BY s.parent_id
),
call AS (
  SELECT
    o.trace_id,
    o.track_id,
    o.ts,
    o.name,
    coalesce(
      x.self_ns,
      greatest(
        greatest(least(o.ts + o.dur, w.to_ns) - greatest(o.ts, w.from_ns), 0)
          - coalesce(c.below_ns, 0),
        0
      )
    ) AS self_ns
  FROM cpu_op AS o
  CROSS JOIN time_window AS w
  LEFT JOIN cut_slice() AS x ON x.slice_id = o.slice_id
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
