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

Only whole steps that both sides have are included (compare_step_key), and of these only those with
earlier work or an earlier step on both sides, or on neither: where nothing was recorded before, the
device is idle. If there are none, all whole steps are included.
"""
grain = ["side", "step_id"]
requires = { schema = ">=1", queries = ["compare_step_key@1", "step_activity@1", "whole_device_op@1"] }
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
WITH keyed AS (
  SELECT pair, owner, side, trace_id, step_id, key, position, start_ns, end_ns
  FROM compare_step_key($a::VARCHAR, $b::VARCHAR)
),
device AS (
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
  FROM keyed AS s
  LEFT JOIN device AS d ON d.step_id = s.step_id
  WHERE s.owner IN ('both', 'none')
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
),
timed AS (
  SELECT
    r.side,
    r.trace_id,
    r.step_id,
    greatest(
      r.end_ns - greatest(r.start_ns, coalesce(r.reach_ns, r.start_ns), coalesce(o.reach_ns, r.start_ns)), 0
    ) AS makespan_ns,
    r.reach_ns IS NULL AND o.reach_ns IS NULL AS is_first
  FROM reached AS r
  JOIN other_reach AS o ON o.step_id = r.step_id AND o.side = r.side
),
placed AS (
  SELECT k.pair, k.owner, k.side, k.key, t.step_id, t.is_first
  FROM keyed AS k
  JOIN timed AS t ON t.side = k.side AND t.step_id = k.step_id
),
matched AS (
  SELECT p.side, p.step_id
  FROM placed AS p
  SEMI JOIN placed AS o
    ON o.pair = p.pair AND o.side <> p.side AND o.key = p.key AND o.is_first = p.is_first
  WHERE p.owner = 'both' OR p.owner = p.side
)
SELECT t.side, t.trace_id, t.step_id, t.makespan_ns
FROM timed AS t
LEFT JOIN matched AS m ON m.side = t.side AND m.step_id = t.step_id
WHERE m.step_id IS NOT NULL
  OR (SELECT count(DISTINCT side) FROM matched) < 2
