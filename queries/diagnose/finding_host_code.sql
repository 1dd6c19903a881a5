/* ---
name = "finding_host_code"
version = 4
title = "Finding: devices are idle while the host runs other code"
help = """
Idle time of devices before the call that launches the next work (causes host and host_sync of idle_gap), by
the outermost operator or annotation, beside steps, data loaders and compiling (finding_recompilation), that a
thread of the trace was in. The device with most idle time counts, and of names the five with most. In a time
window the parts of gaps inside it count.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["reaching_op@1", "stream_gap@1"], rows = ["gpu_op", "launch", "cpu_op | annotation"] }
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
4 = "of devices that are idle equally long, the one with more gaps"
3 = "gaps and times count once, whatever the number of slices of the name in them; a time window cuts gaps"
2 = "compiling is left out; annotations have the Python function that they are in"
1 = "first version"
--- */
WITH RECURSIVE launched AS MATERIALIZED (
  SELECT
    g.trace_id, g.device_id,
    greatest(g.start_ns, w.from_ns) AS start_ns,
    least(l.ts, g.end_ns, w.to_ns) AS end_ns
  FROM stream_gap(true, 5000) AS g
  CROSS JOIN time_window AS w
  JOIN whole_launch AS l ON l.slice_id = g.launch_id
  WHERE g.cause IN ('host', 'host_sync')
    AND least(l.ts, g.end_ns, w.to_ns) > greatest(g.start_ns, w.from_ns)
),
lane AS MATERIALIZED (
  SELECT *, row_number() OVER ()::INTEGER AS lane
  FROM (SELECT DISTINCT trace_id, device_id FROM launched)
),
-- Gaps of a device do not overlap; before_ns is the idle time of those before.
gap AS MATERIALIZED (
  SELECT
    lane, start_ns, end_ns,
    (row_number() OVER in_order)::INTEGER AS n,
    (sum(end_ns - start_ns) OVER in_order)::BIGINT - (end_ns - start_ns) AS before_ns
  FROM (
    SELECT l.lane, g.start_ns, g.end_ns
    FROM launched AS g
    JOIN lane AS l ON l.trace_id = g.trace_id AND l.device_id IS NOT DISTINCT FROM g.device_id
  )
  WINDOW in_order AS (PARTITION BY lane ORDER BY start_ns ROWS UNBOUNDED PRECEDING)
),
-- Without annotations, reaching_op has compared all of them.
host AS (
  SELECT slice_id, track_id, trace_id, name, ts, dur
  FROM reaching_op()
  UNION ALL
  SELECT a.slice_id, a.track_id, a.trace_id, a.name, a.ts, a.dur
  FROM whole_annotation AS a
  ANTI JOIN whole_step AS s ON s.slice_id = a.slice_id
  WHERE a.side = 'host' AND a.dur > 0
),
-- Numbers instead of names: what follows sorts all of them several times.
known_name AS MATERIALIZED (
  SELECT
    name,
    row_number() OVER ()::INTEGER AS name_n,
    name NOT ILIKE '%dataloader%'
      AND NOT regexp_matches(name, '^(dynamo|entire_(frame|backward)_compile)$|\(dynamo_timed\)$')
      AS is_counted
  FROM (SELECT DISTINCT name FROM host)
),
outermost AS (
  SELECT trace_id, name_n, ts AS start_ns, ts + dur AS end_ns
  FROM (
    SELECT
      h.trace_id, k.name_n, k.is_counted, h.ts, h.dur,
      max(h.ts + h.dur) OVER (
        PARTITION BY h.track_id ORDER BY h.ts, h.dur DESC, h.slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS reached_ns
    FROM host AS h
    JOIN known_name AS k ON k.name IS NOT DISTINCT FROM h.name
  )
  WHERE is_counted
    AND (reached_ns IS NULL OR ts >= reached_ns)
),
-- The first gap of a device that ends after a slice begins, and the last that begins before it ends: between
-- these instants, the device was idle as long as gaps until the one last longer than until the other.
crossed AS (
  SELECT
    l.lane,
    o.name_n,
    a.n AS first_n,
    b.n AS last_n,
    a.before_ns + greatest(a.start_ns, o.start_ns) - a.start_ns AS idle_from_ns,
    b.before_ns + least(b.end_ns, o.end_ns) - b.start_ns AS idle_to_ns
  FROM outermost AS o
  JOIN lane AS l ON l.trace_id = o.trace_id
  ASOF JOIN gap AS a ON a.lane = l.lane AND o.start_ns < a.end_ns
  ASOF JOIN gap AS b ON b.lane = l.lane AND o.end_ns > b.start_ns
  WHERE b.n >= a.n
),
-- Slices of a name may share a gap, and on several threads the time: each adds what those before lack.
fresh AS (
  SELECT
    lane,
    name_n,
    greatest(last_n - greatest(first_n, coalesce(max(last_n) OVER earlier + 1, first_n)) + 1, 0) AS n_gaps,
    greatest(idle_to_ns - greatest(idle_from_ns, max(idle_to_ns) OVER earlier), 0) AS idle_ns
  FROM crossed
  WINDOW earlier AS (
    PARTITION BY lane, name_n ORDER BY idle_from_ns, first_n, idle_to_ns
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
),
by_device AS (
  SELECT t.run_id, l.trace_id, k.name, c.n_gaps, c.idle_ns
  FROM (
    SELECT lane, name_n, sum(n_gaps)::BIGINT AS n_gaps, sum(idle_ns)::BIGINT AS idle_ns
    FROM fresh
    GROUP BY lane, name_n
  ) AS c
  JOIN lane AS l ON l.lane = c.lane
  JOIN trace AS t ON t.id = l.trace_id
  JOIN known_name AS k ON k.name_n = c.name_n
),
found AS MATERIALIZED (
  SELECT
    run_id,
    name,
    max_by(n_gaps, (idle_ns, n_gaps)) AS n_gaps,
    max(idle_ns) AS idle_ns
  FROM by_device
  GROUP BY run_id, name
  HAVING max(idle_ns) > 0
  QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY max(idle_ns) DESC, name) <= 5
),
annotated AS MATERIALIZED (
  SELECT a.slice_id, t.run_id, a.name, a.dur
  FROM whole_annotation AS a
  JOIN trace AS t ON t.id = a.trace_id
  JOIN found AS f ON f.run_id = t.run_id AND f.name = a.name
  WHERE a.side = 'host'
    AND a.dur > 0
    AND a.trace_id IN (SELECT trace_id FROM whole_python_call)
),
start AS MATERIALIZED (
  SELECT s.id AS slice_id, s.parent_id AS at_id, s.depth
  FROM whole_slice AS s
  SEMI JOIN (SELECT * FROM annotated WHERE slice_id >= 0) AS a ON a.slice_id = s.id
  WHERE s.parent_id IS NOT NULL
),
-- What lies around other slices and is no Python function. (Materialized: the database would hash all slices
-- first.)
around AS MATERIALIZED (
  SELECT s.id, s.parent_id
  FROM whole_slice AS s
  ANTI JOIN whole_python_call AS p ON p.slice_id = s.id
  WHERE s.parent_id IS NOT NULL AND s.is_leaf IS NULL
    AND s.depth < (SELECT max(depth) FROM start)
),
-- Up from each annotation to the innermost Python function around it.
ancestor AS (
  SELECT slice_id AS start_id, at_id
  FROM start
  UNION ALL
  SELECT c.start_id, s.parent_id
  FROM around AS s
  JOIN ancestor AS c ON c.at_id = s.id
),
frame AS (
  SELECT a.run_id, a.name, 'python' AS kind, s.name AS frame, sum(a.dur) AS dur_ns
  FROM ancestor AS c
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
frame_location AS (
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
LEFT JOIN frame_location AS p ON p.run_id = f.run_id AND p.name = f.name
ORDER BY f.run_id, bound_ns DESC, subject
