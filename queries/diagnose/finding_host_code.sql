/* ---
name = "finding_host_code"
version = 2
title = "Finding: devices are idle while the host runs other code"
help = """
Idle time of devices before the call that launches the next work (causes host and host_sync of idle_gap), by
the outermost operator or annotation, beside steps, data loaders and compiling (finding_recompilation), that a
thread of the trace was in. The device with most idle time counts, and of names the five with most.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["idle_host@2"], rows = ["gpu_op", "launch", "cpu_op | annotation"] }
scale = "run"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'host_code'"
subject.help = "Outermost operator or annotation"
location.help = "Module and Python function that slices of the name were most in; NULL: not recorded"
n_events.help = "Number of gaps"
bound_ns.help = "Idle time of devices while a thread was in it"

[changes]
2 = "compiling is left out; annotations have the Python function that they are in"
1 = "first version"
--- */
WITH RECURSIVE by_device AS (
  SELECT
    t.run_id, h.trace_id, h.device_id, h.name, count(*) AS n_gaps, sum(h.idle_ns)::BIGINT AS idle_ns
  FROM idle_host(true, 5000, false, true) AS h
  JOIN trace AS t ON t.id = h.trace_id
  WHERE h.cause IN ('host', 'host_sync')
    AND h.name NOT ILIKE '%dataloader%'
    AND NOT regexp_matches(h.name, '^(dynamo|entire_(frame|backward)_compile)$|\(dynamo_timed\)$')
  GROUP BY t.run_id, h.trace_id, h.device_id, h.name
),
found AS MATERIALIZED (
  SELECT
    run_id,
    name,
    max_by(n_gaps, (idle_ns, trace_id)) AS n_gaps,
    max(idle_ns) AS idle_ns
  FROM by_device
  GROUP BY run_id, name
  HAVING max(idle_ns) > 0
  QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY max(idle_ns) DESC, name) <= 5
),
annotated AS (
  SELECT a.slice_id, t.run_id, a.name, a.dur
  FROM whole_annotation AS a
  JOIN trace AS t ON t.id = a.trace_id
  JOIN found AS f ON f.run_id = t.run_id AND f.name = a.name
  WHERE a.side = 'host'
    AND a.dur > 0
    AND a.trace_id IN (SELECT trace_id FROM whole_python_call)
),
-- Up from each annotation to the innermost Python function around it.
climb AS (
  SELECT a.slice_id AS start_id, s.parent_id AS at_id
  FROM annotated AS a
  JOIN whole_slice AS s ON s.id = a.slice_id
  WHERE s.parent_id IS NOT NULL
  UNION ALL
  SELECT c.start_id, s.parent_id
  FROM climb AS c
  JOIN whole_slice AS s ON s.id = c.at_id
  WHERE s.parent_id IS NOT NULL
    AND c.at_id NOT IN (SELECT slice_id FROM whole_python_call)
),
frame AS (
  SELECT a.run_id, a.name, 'python' AS kind, s.name AS frame, sum(a.dur) AS dur_ns
  FROM climb AS c
  JOIN annotated AS a ON a.slice_id = c.start_id
  JOIN whole_python_call AS p ON p.slice_id = c.at_id
  JOIN whole_slice AS s ON s.id = c.at_id
  GROUP BY a.run_id, a.name, s.name
  UNION ALL
  SELECT t.run_id, o.name, k.kind, s.name AS frame, sum(greatest(o.dur, 0)) AS dur_ns
  FROM whole_link AS k
  JOIN whole_cpu_op AS o ON o.slice_id = k.to_id
  JOIN trace AS t ON t.id = o.trace_id
  JOIN whole_slice AS s ON s.id = k.from_id
  WHERE k.kind IN ('module', 'python')
    AND k.link_set = 'default'
    AND o.name IN (SELECT name FROM found)
  GROUP BY t.run_id, o.name, k.kind, s.name
),
place AS (
  SELECT
    run_id,
    name,
    concat_ws(
      ', ',
      max_by(frame, (dur_ns, frame)) FILTER (WHERE kind = 'module'),
      max_by(frame, (dur_ns, frame)) FILTER (WHERE kind = 'python')
    ) AS location
  FROM frame
  GROUP BY run_id, name
)
SELECT
  f.run_id,
  'host_code' AS finding,
  f.name AS subject,
  NULL::BIGINT AS rank,
  p.location,
  f.n_gaps AS n_events,
  f.idle_ns AS bound_ns,
  NULL::DOUBLE AS coverage,
  'skip(within = $subject)' AS what_if,
  'idle_gap -p per_device=true' AS evidence,
  'Devices are idle while the host is in it' AS sentence,
  'Capture it in CUDA graphs, compile it (torch.compile), do it beside the steps, or leave it out' AS remedy
FROM found AS f
LEFT JOIN place AS p ON p.run_id = f.run_id AND p.name = f.name
ORDER BY f.run_id, bound_ns DESC, subject
