/* ---
name = "finding_copy"
version = 2
title = "Finding: copies to, from and within devices"
help = """
Time of copies by name, which tells the direction and whether the memory is pageable. Of the ranks the one
with most counts. In a time window the parts inside it count.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["call_site@3", "launched_op@1"], rows = ["gpu_op"] }
scale = "run"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'copy'"
subject.help = "Name of the copies"
n_events.help = "Number of copies on the rank with most time in them"
bound_ns.help = "Time of the copies"

[changes]
2 = "a time window cuts the copies"
1 = "first version"
--- */
WITH copy AS (
  SELECT t.run_id, g.trace_id, g.name, c.launch_id,
    greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0) AS dur,
    g.bytes, g.direction,
    'Pageable' IN (g.source_memory_kind, g.destination_memory_kind) OR g.name ILIKE '%pageable%' AS is_pageable
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  JOIN launched_op() AS c ON c.slice_id = g.slice_id
  JOIN trace AS t ON t.id = g.trace_id
  WHERE g.kind = 'memcpy' AND g.name IS NOT NULL
),
by_trace AS (
  SELECT
    run_id, trace_id, name, count(*) AS n_copies, sum(dur)::BIGINT AS dur_ns, avg(bytes) AS mean_bytes,
    any_value(direction) AS direction, bool_or(is_pageable) AS is_pageable
  FROM copy
  GROUP BY run_id, trace_id, name
),
by_site AS (
  SELECT c.run_id, c.name, s.location, sum(c.dur) AS dur_ns
  FROM copy AS c
  JOIN call_site() AS s ON s.slice_id = c.launch_id
  GROUP BY c.run_id, c.name, s.location
),
site AS (
  SELECT run_id, name, max_by(location, (dur_ns, location)) AS location
  FROM by_site
  GROUP BY run_id, name
)
SELECT
  b.run_id,
  'copy' AS finding,
  b.name AS subject,
  NULL::BIGINT AS rank,
  any_value(s.location) AS location,
  max_by(b.n_copies, (b.dur_ns, b.trace_id)) AS n_events,
  max(b.dur_ns) AS bound_ns,
  NULL::DOUBLE AS coverage,
  'drop(kind = "memcpy", name = $subject)' AS what_if,
  'memcpy_bandwidth' AS evidence,
  CASE
    WHEN bool_or(b.is_pageable) THEN 'Copies of pageable memory, for which the host waits'
    WHEN max(b.mean_bytes) < 65536 THEN 'Many small copies'
    ELSE 'Copies take time of devices'
  END AS sentence,
  CASE
    WHEN any_value(b.direction) = 'DtoH' THEN 'Leave results on the device, and copy them once, asynchronously to pinned memory'
    WHEN bool_or(b.is_pageable) THEN 'Copy from pinned memory: pin_memory=True, non_blocking=True'
    WHEN max(b.mean_bytes) < 65536 THEN 'Copy less often: one copy of all, or make the values on the device'
    ELSE 'Copy beside computation, on a stream of its own'
  END AS remedy
FROM by_trace AS b
LEFT JOIN site AS s ON s.run_id = b.run_id AND s.name = b.name
GROUP BY b.run_id, b.name
HAVING max(b.dur_ns) > 0
ORDER BY b.run_id, bound_ns DESC, subject
