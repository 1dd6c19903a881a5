/* ---
name = "finding_exposed_communication"
version = 3
title = "Finding: communication that no computation hides"
help = """
Time in which communication runs on a device and computation does not (overlap), or of ranks without device
work the time in which any communication runs on the host, of which computation may hide some; the rank with
most of it counts. It contains waiting for ranks that arrive late (finding_straggler). In a time window the
parts inside it count.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["collective_op@1", "device_activity@2"], rows = ["collective"] }
scale = "run"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'exposed_communication'"
subject.help = "Kind of collective that takes most time, with 'and others' if there are several"
n_events.help = "Number of collectives"
bound_ns.help = "Exposed communication"

[changes]
3 = "subject: 'and others' where n_events counts collectives of several kinds"
2 = "communication that overlaps on the host counts once; a time window limits it"
1 = "first version"
--- */
WITH exposed AS (
  SELECT t.run_id, d.trace_id, sum(d.exposed_communication_ns)::BIGINT AS exposed_ns
  FROM device_activity() AS d
  JOIN trace AS t ON t.id = d.trace_id
  GROUP BY t.run_id, d.trace_id
),
op AS (
  SELECT
    o.run_id, o.trace_id, o.side, o.kind,
    greatest(o.start_ns, w.from_ns) AS start_ns,
    least(greatest(o.end_ns, w.from_ns), w.to_ns) AS end_ns
  FROM collective_op() AS o
  SEMI JOIN collective AS c ON c.slice_id = o.slice_id
  CROSS JOIN time_window AS w
  WHERE o.is_transfer
),
kind AS (
  SELECT run_id, trace_id, side, kind, count(*) AS n, sum(end_ns - start_ns)::BIGINT AS dur_ns
  FROM op
  GROUP BY run_id, trace_id, side, kind
),
-- Each adds the part beyond all that began before it.
gain AS (
  SELECT
    run_id, trace_id, side,
    greatest(
      end_ns - greatest(
        start_ns,
        max(end_ns) OVER (
          PARTITION BY trace_id ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
      ),
      0
    ) AS gain_ns
  FROM op
  WHERE side = 'host' AND trace_id NOT IN (SELECT trace_id FROM exposed)
),
of_trace AS (
  SELECT run_id, trace_id, 'device' AS side, exposed_ns FROM exposed
  UNION ALL
  SELECT run_id, trace_id, side, sum(gain_ns)::BIGINT
  FROM gain
  GROUP BY run_id, trace_id, side
),
of_run AS (
  SELECT run_id, side, max_by(trace_id, (exposed_ns, trace_id)) AS trace_id, max(exposed_ns) AS exposed_ns
  FROM of_trace
  GROUP BY run_id, side
)
SELECT
  r.run_id,
  'exposed_communication' AS finding,
  max_by(k.kind, (k.dur_ns, k.kind)) || CASE WHEN count(*) > 1 THEN ' and others' ELSE '' END AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  sum(k.n)::BIGINT AS n_events,
  any_value(r.exposed_ns) AS bound_ns,
  NULL::DOUBLE AS coverage,
  CASE r.side WHEN 'device' THEN 'scale(class = "communication", ratio = 0)'
    ELSE 'drop(kind = "collective")' END AS what_if,
  CASE r.side WHEN 'device' THEN 'overlap' ELSE 'collective_instance' END AS evidence,
  CASE r.side WHEN 'device' THEN 'Devices communicate without computing'
    ELSE 'Ranks communicate through the host' END AS sentence,
  CASE r.side
    WHEN 'device' THEN 'Overlap it with computation (buckets, prefetching), send less (precision, sharding), or balance the ranks'
    ELSE 'Choose other buckets (tw optimize buckets), send less often or less, or balance the ranks'
  END AS remedy
FROM of_run AS r
JOIN kind AS k ON k.run_id = r.run_id AND k.trace_id = r.trace_id AND k.side = r.side
WHERE r.exposed_ns > 0
GROUP BY r.run_id, r.side
ORDER BY r.run_id, subject
