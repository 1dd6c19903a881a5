/* ---
name = "compare_ranks"
version = 4
title = "Ranks of two sides: own work, waiting for others, and the waiting they cause"
help = """
A slow rank shows in the steps of all ranks: the others wait for it in collectives. So the first row is
the rank that causes most waiting more than before, then the one whose own work takes longer. Waits are
those of collective_wait, as in straggler: collectives that synchronize their members and whose ranks
share a clock; they are NULL where there are none, and not_compared is the reason.

Figures are means over the whole steps of a trace, or totals of a trace if not both sides have steps
(basis). work is the time of kernels that compute, copies and memsets; wait the time that the rank waited
in collectives for the last one to arrive; caused_wait the waits of all other ranks of both sides for it,
in whole steps of theirs. A collective on a device belongs to the step that launched it, one on the host
to the step in which it began. In a time window whole steps have all their work and waits; totals of a
trace have the parts of work inside it, and the waits of collectives that run in it on any rank.
"""
grain = ["pair"]
requires = { schema = ">=1", queries = ["compare_pair@1", "compare_step@1", "compare_unit@1", "device_work_by_step@2", "step_window@1", "whole_collective_wait@1"] }
columns = [
  "pair", "rank_a", "rank_b", "basis", "n_steps_a", "n_steps_b", "host_a_ns", "host_b_ns",
  "work_a_ns", "work_b_ns", "work_change_ns", "wait_a_ns", "wait_b_ns", "wait_change_ns",
  "caused_wait_a_ns", "caused_wait_b_ns", "caused_wait_change_ns", "trace_id_a", "trace_id_b",
  "not_compared",
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
pair = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of the pair of traces, from 1" }
rank_a = { type = "BIGINT", unit = "count", nullable = true, help = "Rank on side a, if known; NULL: none" }
rank_b = { type = "BIGINT", unit = "count", nullable = true, help = "Rank on side b, if known; NULL: none" }
basis = { type = "VARCHAR", unit = "text", check = "IN ('step', 'trace')", help = "step: figures are per step; trace: totals of a trace" }
n_steps_a = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Number of whole steps on side a" }
n_steps_b = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "As n_steps_a, on side b" }
host_a_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Duration of steps on the host, side a" }
host_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "As host_a_ns, on side b" }
work_a_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Device time without communication, side a; NULL: not recorded" }
work_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "As work_a_ns, on side b" }
work_change_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "work_b_ns - work_a_ns" }
wait_a_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Time it waited for others, side a; NULL: unknown" }
wait_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "As wait_a_ns, on side b" }
wait_change_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "wait_b_ns - wait_a_ns" }
caused_wait_a_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Waits of the others for it, side a; NULL: unknown" }
caused_wait_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "As caused_wait_a_ns, on side b" }
caused_wait_change_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "caused_wait_b_ns - caused_wait_a_ns" }
trace_id_a = { type = "BIGINT", unit = "ref trace.id", nullable = true, help = "Trace on side a; NULL: none" }
trace_id_b = { type = "BIGINT", unit = "ref trace.id", nullable = true, help = "Trace on side b; NULL: none" }
not_compared = { type = "VARCHAR", unit = "text", nullable = true, help = "Why waits are not compared; NULL: they are" }

[changes]
4 = "in a time window, waits of whole steps count, whenever these are; totals count waits of ranks of both sides only"
3 = "ranks of the other side that wait for a rank count in steps, too"
2 = "waits in collectives on the host belong to the step in which these began"
1 = "first version"
--- */
WITH unit AS (
  SELECT subject, side, trace_id, n_steps
  FROM compare_unit($a::VARCHAR, $b::VARCHAR)
  WHERE subject = 'steps'
),
basis AS (
  SELECT
    CASE
      WHEN max(CASE WHEN side = 'a' THEN n_steps ELSE 0 END) > 0
        AND max(CASE WHEN side = 'b' THEN n_steps ELSE 0 END) > 0
      THEN 'step'
      ELSE 'trace'
    END AS basis
  FROM unit
),
whole AS (
  SELECT side, trace_id, step_id, end_ns - start_ns AS host_ns
  FROM compare_step($a::VARCHAR, $b::VARCHAR)
),
-- Everything by trace and step; step NULL is outside of steps.
waited AS (
  SELECT
    w.trace_id,
    w.last_trace_id,
    w.wait_ns,
    coalesce(k.from_id, p.step_id) AS step_id,
    count(v.slice_id) OVER (PARTITION BY w.instance_id) > 0 AS is_in_window
  FROM whole_collective_wait() AS w
  JOIN whole_collective AS c ON c.slice_id = w.slice_id
  LEFT JOIN collective AS v ON v.slice_id = w.slice_id
  LEFT JOIN track AS r ON r.id = c.track_id
  LEFT JOIN whole_link AS k
    ON k.to_id = w.slice_id AND k.kind = 'step' AND k.link_set = 'default'
  LEFT JOIN step_window() AS p
    ON c.side = 'host'
    AND p.trace_id = c.trace_id
    AND p.process_id IS NOT DISTINCT FROM r.process_id
    AND p.start_ns <= c.ts
    AND p.end_ns > c.ts
),
value AS (
  SELECT
    trace_id, step_id, true AS is_in_window, 'work' AS measure,
    CASE WHEN z.basis = 'step' THEN total_ns ELSE inside_ns END AS ns
  FROM device_work_by_step()
  CROSS JOIN basis AS z
  WHERE class <> 'communication'
  UNION ALL
  SELECT trace_id, step_id, is_in_window, 'wait', wait_ns FROM waited
  UNION ALL
  SELECT
    last_trace_id, step_id, is_in_window, 'caused',
    CASE WHEN trace_id <> last_trace_id THEN wait_ns ELSE 0 END
  FROM waited
  SEMI JOIN unit AS u ON u.trace_id = waited.trace_id
),
summed AS (
  SELECT u.side, v.trace_id, v.measure, sum(v.ns)::BIGINT AS ns
  FROM value AS v
  JOIN unit AS u ON u.trace_id = v.trace_id
  CROSS JOIN basis AS z
  LEFT JOIN (SELECT DISTINCT step_id FROM whole) AS s ON s.step_id = v.step_id
  WHERE CASE WHEN z.basis = 'trace' THEN v.is_in_window ELSE s.step_id IS NOT NULL END
  GROUP BY u.side, v.trace_id, v.measure
),
host AS (
  SELECT side, trace_id, sum(host_ns)::BIGINT AS ns
  FROM whole
  GROUP BY side, trace_id
),
figure AS (
  SELECT
    u.side,
    u.trace_id,
    u.n_steps,
    h.ns / nullif(u.n_steps, 0) AS host_ns,
    w.ns / d.divisor AS work_ns,
    m.ns / d.divisor AS wait_ns,
    -- A rank that waited, but caused no wait, is known to have caused none.
    CASE WHEN m.ns IS NOT NULL OR c.ns IS NOT NULL THEN coalesce(c.ns, 0) / d.divisor END
      AS caused_wait_ns
  FROM unit AS u
  CROSS JOIN basis AS z
  JOIN (
    SELECT side, trace_id, CASE z.basis WHEN 'step' THEN nullif(n_steps, 0) ELSE 1 END AS divisor
    FROM unit
    CROSS JOIN basis AS z
  ) AS d ON d.side = u.side AND d.trace_id = u.trace_id
  LEFT JOIN host AS h ON h.side = u.side AND h.trace_id = u.trace_id
  LEFT JOIN summed AS w ON w.side = u.side AND w.trace_id = u.trace_id AND w.measure = 'work'
  LEFT JOIN summed AS m ON m.side = u.side AND m.trace_id = u.trace_id AND m.measure = 'wait'
  LEFT JOIN summed AS c ON c.side = u.side AND c.trace_id = u.trace_id AND c.measure = 'caused'
)
SELECT
  p.pair,
  p.rank_a,
  p.rank_b,
  z.basis,
  a.n_steps AS n_steps_a,
  b.n_steps AS n_steps_b,
  a.host_ns AS host_a_ns,
  b.host_ns AS host_b_ns,
  a.work_ns AS work_a_ns,
  b.work_ns AS work_b_ns,
  b.work_ns - a.work_ns AS work_change_ns,
  a.wait_ns AS wait_a_ns,
  b.wait_ns AS wait_b_ns,
  b.wait_ns - a.wait_ns AS wait_change_ns,
  a.caused_wait_ns AS caused_wait_a_ns,
  b.caused_wait_ns AS caused_wait_b_ns,
  b.caused_wait_ns - a.caused_wait_ns AS caused_wait_change_ns,
  p.trace_id_a,
  p.trace_id_b,
  CASE
    WHEN p.trace_id_a IS NULL THEN 'not on side A'
    WHEN p.trace_id_b IS NULL THEN 'not on side B'
    WHEN a.caused_wait_ns IS NULL AND b.caused_wait_ns IS NULL
    THEN 'A and B have no collectives whose ranks can be compared'
    WHEN a.caused_wait_ns IS NULL THEN 'A has no collectives whose ranks can be compared'
    WHEN b.caused_wait_ns IS NULL THEN 'B has no collectives whose ranks can be compared'
  END AS not_compared
FROM compare_pair($a::VARCHAR, $b::VARCHAR) AS p
CROSS JOIN basis AS z
LEFT JOIN figure AS a ON a.side = 'a' AND a.trace_id = p.trace_id_a
LEFT JOIN figure AS b ON b.side = 'b' AND b.trace_id = p.trace_id_b
ORDER BY
  b.caused_wait_ns - a.caused_wait_ns DESC NULLS LAST,
  b.work_ns - a.work_ns DESC NULLS LAST,
  p.pair
