/* ---
name = "finding_launch_bound"
version = 2
title = "Finding: devices wait for the calls that launch their work"
help = """
Idle time of devices that ends with work whose launching call began or returned only after the work
before it had ended (causes host and launch of idle_gap). What ends the wait for the call may be something
else on the host: the price tells, of CUDA graphs in the steps, or without steps of launches that cost nothing.
Idle time is that of the device with most of it.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["device_gap@7", "launched_op@1"], rows = ["gpu_op", "launch"] }
scale = "run"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'launch_bound'"
subject.help = "The call that launches most of that work"
n_events.help = "Number of gaps"
bound_ns.help = "Idle time before late launches"

[changes]
2 = "priced by CUDA graphs where steps are recorded"
1 = "first version"
--- */
WITH gap AS (
  SELECT trace_id, device_id, launch_id, inside_ns
  FROM device_gap(true, 5000, NULL)
  WHERE cause IN ('host', 'launch')
),
by_trace AS (
  SELECT g.trace_id, t.run_id, count(*) AS n_gaps, sum(g.inside_ns)::BIGINT AS idle_ns
  FROM gap AS g
  JOIN trace AS t ON t.id = g.trace_id
  GROUP BY g.trace_id, g.device_id, t.run_id
),
by_name AS (
  SELECT t.run_id, l.name, sum(g.inside_ns) AS idle_ns
  FROM gap AS g
  JOIN trace AS t ON t.id = g.trace_id
  JOIN whole_launch AS l ON l.slice_id = g.launch_id
  GROUP BY t.run_id, l.name
),
launched AS (
  SELECT
    t.run_id,
    sum(CASE WHEN o.launch_id IS NOT NULL THEN greatest(o.dur, 0) ELSE 0 END)
      / nullif(sum(greatest(o.dur, 0)), 0) AS share
  FROM launched_op() AS o
  CROSS JOIN time_window AS w
  JOIN trace AS t ON t.id = o.trace_id
  WHERE o.ts < w.to_ns AND (o.ts >= w.from_ns OR o.ts + o.dur > w.from_ns OR o.dur = -1)
  GROUP BY t.run_id
)
SELECT
  b.run_id,
  'launch_bound' AS finding,
  max_by(n.name, (n.idle_ns, n.name)) AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  any_value(b.n_gaps) AS n_events,
  any_value(b.idle_ns) AS bound_ns,
  any_value(l.share) AS coverage,
  CASE WHEN b.run_id IN (SELECT t.run_id FROM step AS s JOIN trace AS t ON t.id = s.trace_id)
    THEN 'graph_launch()' ELSE 'launch_free()' END AS what_if,
  'idle_summary -p per_device=true' AS evidence,
  'Devices are idle until their work is launched' AS sentence,
  'Launch less often: CUDA graphs, torch.compile, larger batches, fused operators' AS remedy
FROM (
  SELECT run_id, max_by(n_gaps, (idle_ns, trace_id)) AS n_gaps, max(idle_ns) AS idle_ns
  FROM by_trace
  GROUP BY run_id
) AS b
JOIN by_name AS n ON n.run_id = b.run_id
JOIN launched AS l ON l.run_id = b.run_id
GROUP BY b.run_id
ORDER BY b.run_id
