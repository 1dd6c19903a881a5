/* ---
name = "compare_makespan"
version = 1
title = "Time that each step adds until its work is done, of both sides of a comparison"
help = """
The time of a step runs from its start, or the end of all work before it if that is later, to its
end: that of its last device work, or of the step on the host. The times of all steps add up to the
time in which any step of the trace is under way. So a host that runs ahead of the device, or stops
doing so, makes no difference unless the work is done later. Work of no whole step, as before the
first step or of one without annotation, is before a step if it begins before its first work.

Whole steps of traces whose device work is compared per step (compare_unit); no rows if it is not.
"""
grain = ["side", "step_id"]
requires = { schema = ">=1", queries = ["compare_step@1", "compare_unit@1", "step_activity@1", "whole_device_op@1"] }
columns = ["side", "trace_id", "step_id", "makespan_ns"]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column]
side = { type = "VARCHAR", unit = "text", check = "IN ('a', 'b')", help = "a or b" }
step_id.help = "Slice of the step"
makespan_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time that the step adds" }

[changes]
1 = "first version"
--- */
WITH device AS (
  SELECT step_id, min(start_ns) AS start_ns, max(end_ns) AS end_ns
  FROM step_activity()
  GROUP BY step_id
),
finished AS (
  SELECT
    s.side,
    s.trace_id,
    s.step_id,
    s.position,
    s.start_ns,
    coalesce(d.start_ns, s.start_ns) AS first_work_ns,
    greatest(s.end_ns, coalesce(d.end_ns, s.end_ns)) AS end_ns
  FROM compare_step($a::VARCHAR, $b::VARCHAR) AS s
  JOIN compare_unit($a::VARCHAR, $b::VARCHAR) AS u
    ON u.side = s.side
    AND u.trace_id = s.trace_id
    AND u.subject = 'device'
    AND u.basis = 'step'
    AND u.divisor IS NOT NULL
  LEFT JOIN device AS d ON d.step_id = s.step_id
),
-- Work of no whole step: before the first, of a step without annotation, or of one that was cut.
other_work AS (
  SELECT w.trace_id, w.start_ns, w.end_ns
  FROM whole_device_op() AS w
  SEMI JOIN finished AS t ON t.trace_id = w.trace_id
  ANTI JOIN (
    SELECT k.to_id
    FROM whole_link AS k
    SEMI JOIN finished AS f ON f.step_id = k.from_id
    WHERE k.kind = 'step' AND k.link_set = 'default'
  ) AS own ON own.to_id = w.slice_id
),
-- Streams run in order: other work that begins before the first work of a step is earlier work.
other_reach AS (
  SELECT
    side,
    step_id,
    max(end_ns) OVER (
      PARTITION BY trace_id
      ORDER BY start_ns
      RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach_ns
  FROM (
    SELECT trace_id, start_ns, end_ns, NULL AS side, NULL AS step_id FROM other_work
    UNION ALL
    SELECT trace_id, first_work_ns, NULL, side, step_id FROM finished
  )
),
reached AS (
  SELECT
    *,
    max(end_ns) OVER (
      PARTITION BY side, trace_id
      ORDER BY position
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach_ns
  FROM finished
)
SELECT
  r.side,
  r.trace_id,
  r.step_id,
  greatest(
    r.end_ns - greatest(r.start_ns, coalesce(r.reach_ns, r.start_ns), coalesce(o.reach_ns, r.start_ns)), 0
  ) AS makespan_ns
FROM reached AS r
JOIN other_reach AS o ON o.step_id = r.step_id AND o.side = r.side
