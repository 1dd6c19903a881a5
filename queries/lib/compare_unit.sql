/* ---
name = "compare_unit"
version = 1
title = "What each trace of a comparison contributes to, by subject, and why a subject is not compared"
help = """
Subjects are steps, device work, operators, and operator_device, device work by operator. A subject
that one side did not record is not compared: basis is NULL, and not_compared names what lacks.

basis step: figures are means over the whole steps of a trace (compare_step), then over the traces
of a side, so a figure is per step and rank. A trace without steps, or that did not record the
subject, is not included. The steps of device work are known if its calls are (for at least half of
the work), or if nearly all of it (99 %) lies in steps.

basis trace: figures are means per trace, of all that was recorded: a side has no steps, or the
steps of its device work are unknown while both sides have equally many traces and steps.
"""
grain = ["subject", "side", "trace_id"]
requires = { schema = ">=1", queries = ["compare_side@1", "compare_step@1"] }
columns = [
  "subject", "side", "trace_id", "n_steps", "basis", "divisor", "not_included", "not_compared",
]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column]
subject = { type = "VARCHAR", unit = "text", check = "IN ('steps', 'device', 'operators', 'operator_device')", help = "What is compared" }
side = { type = "VARCHAR", unit = "text", check = "IN ('a', 'b')", help = "a or b" }
n_steps = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of whole steps of the trace" }
not_included = { type = "VARCHAR", unit = "text", nullable = true, help = "What the trace lacks for the basis; NULL: nothing" }
not_compared = { type = "VARCHAR", unit = "text", nullable = true, help = "Why the subject is not compared; NULL: it is" }

[column.basis]
type = "VARCHAR"
unit = "text"
nullable = true
check = "IN ('step', 'trace')"
help = "step: figures are per step and trace; trace: per trace; NULL: not compared"

[column.divisor]
type = "BIGINT"
unit = "count"
nullable = true
check = "> 0"
help = "Divisor of the trace's sums: number of traces included, for basis step times n_steps; NULL: not included"

[changes]
1 = "first version"
--- */
WITH stepped AS (
  SELECT side, trace_id, max(n_steps) AS n_steps
  FROM compare_step($a::VARCHAR, $b::VARCHAR)
  GROUP BY side, trace_id
),
-- Work outside of the time window counts if it is that of a whole step (device_work_by_step).
outside AS (
  SELECT g.trace_id, g.slice_id, s.step_id IS NOT NULL AS is_of_whole_step
  FROM whole_gpu_op AS g
  CROSS JOIN time_window AS w
  LEFT JOIN whole_link AS k ON k.to_id = g.slice_id AND k.kind = 'step' AND k.link_set = 'default'
  LEFT JOIN (SELECT DISTINCT step_id FROM compare_step($a::VARCHAR, $b::VARCHAR)) AS s
    ON s.step_id = k.from_id
  WHERE g.kind <> 'sync'
    AND (g.ts >= w.to_ns OR (g.ts < w.from_ns AND g.dur <> -1 AND g.ts + g.dur <= w.from_ns))
),
worked AS (
  SELECT trace_id, count(*) AS n_ops
  FROM (
    SELECT trace_id FROM gpu_op WHERE kind <> 'sync'
    UNION ALL
    SELECT trace_id FROM outside WHERE is_of_whole_step
  )
  GROUP BY trace_id
),
linked AS (
  SELECT
    trace_id,
    sum(CASE WHEN kind = 'launch' THEN 1 ELSE 0 END) AS n_called,
    sum(CASE WHEN kind = 'step' THEN 1 ELSE 0 END) AS n_in_steps
  FROM whole_link AS k
  ANTI JOIN (SELECT slice_id FROM outside WHERE NOT is_of_whole_step) AS o ON o.slice_id = k.to_id
  WHERE kind IN ('launch', 'step') AND link_set = 'default'
  GROUP BY trace_id
),
called AS (
  SELECT trace_id, count(*) AS n_calls
  FROM cpu_op
  GROUP BY trace_id
),
counted AS (
  SELECT
    c.side,
    c.trace_id,
    coalesce(s.n_steps, 0) AS n_steps,
    coalesce(o.n_calls, 0) > 0 AS has_operators,
    coalesce(w.n_ops, 0) > 0 AS has_work,
    coalesce(k.n_called, 0) > 0 AS has_calls,
    2 * coalesce(k.n_called, 0) >= coalesce(w.n_ops, 0)
      OR 100 * (w.n_ops - coalesce(k.n_in_steps, 0)) <= w.n_ops AS is_work_placed
  FROM compare_side($a::VARCHAR, $b::VARCHAR) AS c
  LEFT JOIN stepped AS s ON s.side = c.side AND s.trace_id = c.trace_id
  LEFT JOIN worked AS w ON w.trace_id = c.trace_id
  LEFT JOIN linked AS k ON k.trace_id = c.trace_id
  LEFT JOIN called AS o ON o.trace_id = c.trace_id
),
recorded AS (
  SELECT side, trace_id, n_steps, 'steps' AS subject, n_steps > 0 AS is_recorded,
    true AS is_placed
  FROM counted
  UNION ALL
  SELECT side, trace_id, n_steps, 'device', has_work, is_work_placed
  FROM counted
  UNION ALL
  SELECT side, trace_id, n_steps, 'operators', has_operators, true
  FROM counted
  UNION ALL
  SELECT side, trace_id, n_steps, 'operator_device', has_work AND has_calls AND has_operators,
    is_work_placed
  FROM counted
),
judged AS (
  SELECT *, is_recorded AND n_steps > 0 AND is_placed AS is_stepped
  FROM recorded
),
summed AS (
  SELECT
    subject,
    sum(CASE WHEN side = 'a' AND is_recorded THEN 1 ELSE 0 END)::BIGINT AS n_recorded_a,
    sum(CASE WHEN side = 'b' AND is_recorded THEN 1 ELSE 0 END)::BIGINT AS n_recorded_b,
    sum(CASE WHEN side = 'a' AND is_stepped THEN 1 ELSE 0 END)::BIGINT AS n_stepped_a,
    sum(CASE WHEN side = 'b' AND is_stepped THEN 1 ELSE 0 END)::BIGINT AS n_stepped_b,
    sum(CASE WHEN side = 'a' THEN n_steps ELSE 0 END)::BIGINT AS n_steps_a,
    sum(CASE WHEN side = 'b' THEN n_steps ELSE 0 END)::BIGINT AS n_steps_b
  FROM judged
  GROUP BY subject
),
decided AS (
  SELECT
    *,
    CASE
      WHEN n_recorded_a = 0 OR n_recorded_b = 0 THEN NULL
      WHEN n_stepped_a > 0 AND n_stepped_b > 0 THEN 'step'
      WHEN n_steps_a = 0 OR n_steps_b = 0 THEN 'trace'
      WHEN n_recorded_a = n_recorded_b AND n_steps_a = n_steps_b THEN 'trace'
    END AS basis,
    CASE subject
      WHEN 'steps' THEN 'steps'
      WHEN 'device' THEN 'device work'
      WHEN 'operators' THEN 'operators'
      ELSE 'device work with known operators'
    END AS noun
  FROM summed
),
named AS (
  SELECT
    *,
    CASE
      WHEN basis IS NOT NULL THEN NULL
      WHEN n_recorded_a = 0 AND n_recorded_b = 0 THEN 'A and B have no ' || noun
      WHEN n_recorded_a = 0 THEN 'A has no ' || noun
      WHEN n_recorded_b = 0 THEN 'B has no ' || noun
      WHEN n_stepped_a = 0 AND n_stepped_b = 0
      THEN 'A and B have no launch events to place device work in steps'
      WHEN n_stepped_a = 0 THEN 'A has no launch events to place device work in steps'
      ELSE 'B has no launch events to place device work in steps'
    END AS not_compared
  FROM decided
)
SELECT
  r.subject,
  r.side,
  r.trace_id,
  r.n_steps::BIGINT AS n_steps,
  n.basis,
  CASE
    WHEN n.basis = 'step' AND r.is_stepped
    THEN r.n_steps * CASE r.side WHEN 'a' THEN n.n_stepped_a ELSE n.n_stepped_b END
    WHEN n.basis = 'trace' AND r.is_recorded
    THEN CASE r.side WHEN 'a' THEN n.n_recorded_a ELSE n.n_recorded_b END
  END::BIGINT AS divisor,
  CASE
    WHEN NOT r.is_recorded THEN n.noun
    WHEN n.basis = 'trace' THEN NULL
    WHEN r.n_steps = 0 THEN 'steps'
    WHEN NOT r.is_placed THEN 'launch events'
  END AS not_included,
  n.not_compared
FROM judged AS r
JOIN named AS n ON n.subject = r.subject
