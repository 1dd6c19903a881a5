/* ---
name = "compare_makespan"
version = 1
title = "Time that each step adds until its work is done, of both sides of a comparison"
help = """
The time of a step runs from its start, or the end of all steps before it if that is later, to its
end: that of its last device work, or of the step on the host. The times of all steps add up to the
time in which any step of the trace is under way. So a host that runs ahead of the device, or stops
doing so, makes no difference unless the work is done later.

Whole steps of traces whose device work is compared per step (compare_unit); no rows if it is not.
"""
grain = ["side", "step_id"]
requires = { schema = ">=1", queries = ["compare_step@1", "compare_unit@1", "step_activity@1"] }
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
  SELECT step_id, max(end_ns) AS end_ns
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
  side,
  trace_id,
  step_id,
  greatest(end_ns - greatest(start_ns, coalesce(reach_ns, start_ns)), 0) AS makespan_ns
FROM reached
