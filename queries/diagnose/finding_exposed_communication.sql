/* ---
name = "finding_exposed_communication"
version = 1
title = "Finding: communication that no computation hides"
help = """
Time in which communication runs on a device and computation does not (overlap); the rank with most of it
counts. It contains waiting for ranks that arrive late (finding_straggler).
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["collective_op@1", "device_activity@2"] }
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'exposed_communication'"
subject.help = "Kind of collective that takes most time"
n_events.help = "Number of collectives"
bound_ns.help = "Exposed communication"

[changes]
1 = "first version"
--- */
WITH exposed AS (
  SELECT t.run_id, d.trace_id, sum(d.exposed_communication_ns)::BIGINT AS exposed_ns
  FROM device_activity() AS d
  JOIN trace AS t ON t.id = d.trace_id
  GROUP BY t.run_id, d.trace_id
),
kind AS (
  SELECT run_id, trace_id, kind, count(*) AS n, sum(end_ns - start_ns) AS dur_ns
  FROM collective_op()
  WHERE side = 'device'
  GROUP BY run_id, trace_id, kind
),
of_run AS (
  SELECT run_id, max_by(trace_id, (exposed_ns, trace_id)) AS trace_id, max(exposed_ns) AS exposed_ns
  FROM exposed
  GROUP BY run_id
)
SELECT
  r.run_id,
  'exposed_communication' AS finding,
  max_by(k.kind, (k.dur_ns, k.kind)) AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  sum(k.n)::BIGINT AS n_events,
  any_value(r.exposed_ns) AS bound_ns,
  NULL::DOUBLE AS coverage,
  'scale(class = "communication", ratio = 0)' AS what_if,
  'overlap' AS evidence,
  'Devices communicate without computing' AS sentence,
  'Overlap it with computation (buckets, prefetching), send less (precision, sharding), or balance the ranks' AS remedy
FROM of_run AS r
JOIN kind AS k ON k.run_id = r.run_id AND k.trace_id = r.trace_id
WHERE r.exposed_ns > 0
GROUP BY r.run_id
ORDER BY r.run_id
