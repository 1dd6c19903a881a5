/* ---
name = "op_by_step"
version = 2
title = "Operators by step and name, with self time"
help = """
self_ns is the duration of a call minus the calls of operators in it that no other operator is
between; frames, runtime calls and annotations in between belong to the operator, because whether
they are recorded is a setting of the profiler. A call shorter than these counts as 0, as does one
of negative duration or an unfinished one. A call belongs to the step in which it begins. In a time
window self_ns is of the parts inside it.
"""
grain = ["trace_id", "step_id", "name"]
requires = { schema = ">=1", queries = ["step_window@1"] }
scale = "trace"
columns = ["trace_id", "step_id", "name", "n_calls", "self_ns"]

[column]
step_id = { nullable = true, help = "Step; NULL: none" }
name = { nullable = false, help = "Operator name; (no name) if there is none" }
n_calls.help = "Number of calls"
self_ns.help = "Sum of the self times"

[changes]
1 = "first version"
2 = "self_ns includes slices that are not operators, such as runtime calls and frames"
--- */
WITH RECURSIVE call AS MATERIALIZED (
  SELECT
    o.slice_id,
    o.trace_id,
    o.track_id,
    o.ts,
    o.name,
    s.parent_id,
    greatest(least(o.ts + o.dur, w.to_ns) - greatest(o.ts, w.from_ns), 0)::BIGINT AS inside_ns
  FROM cpu_op AS o
  CROSS JOIN time_window AS w
  LEFT JOIN slice AS s ON s.id = o.slice_id
),
-- Slices between operators: only those with children are climbed.
between_call AS MATERIALIZED (
  SELECT s.id, s.parent_id
  FROM (
    SELECT c.parent_id AS id
    FROM (SELECT DISTINCT parent_id FROM slice WHERE parent_id IS NOT NULL) AS c
    ANTI JOIN cpu_op AS o ON o.slice_id = c.parent_id
  ) AS c
  JOIN slice AS s ON s.id = c.id
  WHERE s.parent_id IS NOT NULL
),
upward AS (
  SELECT parent_id AS slice_id, sum(inside_ns)::BIGINT AS below_ns
  FROM call
  WHERE parent_id IS NOT NULL
  GROUP BY parent_id
  UNION ALL
  SELECT b.parent_id, sum(u.below_ns)::BIGINT
  FROM upward AS u
  JOIN between_call AS b ON b.id = u.slice_id
  GROUP BY b.parent_id
),
below AS (
  SELECT slice_id, sum(below_ns)::BIGINT AS below_ns
  FROM upward
  GROUP BY slice_id
),
timed AS (
  SELECT
    c.trace_id,
    coalesce(k.process_id, -1) AS process_id,
    c.ts,
    c.name,
    greatest(c.inside_ns - coalesce(b.below_ns, 0), 0) AS self_ns
  FROM call AS c
  LEFT JOIN below AS b ON b.slice_id = c.slice_id
  LEFT JOIN track AS k ON k.id = c.track_id
),
stretch AS MATERIALIZED (
  SELECT trace_id, coalesce(process_id, -1) AS process_id, start_ns, end_ns, step_id
  FROM step_window()
),
-- Most calls lie in a slot of time that one step covers, which takes no sorting to find.
slot_size AS (
  SELECT
    trace_id,
    process_id,
    min(start_ns) AS from_ns,
    greatest((max(end_ns) - min(start_ns)) // least(64 * count(*), 65536), 1)::BIGINT AS slot_ns
  FROM stretch
  GROUP BY trace_id, process_id
),
covered AS (
  SELECT
    s.trace_id,
    s.process_id,
    s.step_id,
    unnest(range(
      (s.start_ns - z.from_ns + z.slot_ns - 1) // z.slot_ns, (s.end_ns - z.from_ns) // z.slot_ns
    )) AS slot
  FROM stretch AS s
  JOIN slot_size AS z ON z.trace_id = s.trace_id AND z.process_id = s.process_id
),
slotted AS MATERIALIZED (
  SELECT c.trace_id, c.process_id, c.ts, c.name, c.self_ns, v.step_id
  FROM timed AS c
  LEFT JOIN slot_size AS z ON z.trace_id = c.trace_id AND z.process_id = c.process_id
  LEFT JOIN covered AS v
    ON v.trace_id = c.trace_id
    AND v.process_id = c.process_id
    AND v.slot = CASE WHEN c.ts >= z.from_ns THEN (c.ts - z.from_ns) // z.slot_ns END
),
placed AS (
  SELECT trace_id, step_id, name, self_ns
  FROM slotted
  WHERE step_id IS NOT NULL
  UNION ALL
  SELECT c.trace_id, CASE WHEN c.ts < w.end_ns THEN w.step_id END, c.name, c.self_ns
  FROM slotted AS c
  ASOF LEFT JOIN stretch AS w
    ON w.trace_id = c.trace_id AND w.process_id = c.process_id AND c.ts >= w.start_ns
  WHERE c.step_id IS NULL
)
SELECT
  trace_id,
  step_id,
  coalesce(name, '(no name)') AS name,
  count(*) AS n_calls,
  sum(self_ns)::BIGINT AS self_ns
FROM placed
GROUP BY trace_id, step_id, coalesce(name, '(no name)')
