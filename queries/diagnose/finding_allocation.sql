/* ---
name = "finding_allocation"
version = 2
title = "Finding: memory of devices is allocated and released by the driver"
help = """
Time in calls that allocate or release memory of devices, or pinned memory, by name. Of the ranks the one
with most counts. In a time window the parts inside it count.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["call_site@3", "costly_call_name@1"], rows = ["launch"] }
scale = "run"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'allocation'"
subject.help = "Name of the calls"
n_events.help = "Number of calls on the rank with most time in them"
bound_ns.help = "Time in the calls"

[changes]
2 = "a time window cuts the calls"
1 = "first version"
--- */
WITH call AS (
  SELECT l.slice_id, l.trace_id, t.run_id, l.name,
    greatest(least(l.ts + l.dur, w.to_ns) - greatest(l.ts, w.from_ns), 0) AS dur
  FROM launch AS l
  CROSS JOIN time_window AS w
  JOIN trace AS t ON t.id = l.trace_id
  WHERE l.name IN (SELECT name FROM costly_call_name() WHERE kind = 'allocation')
),
by_trace AS (
  SELECT run_id, trace_id, name, count(*) AS n_calls, sum(dur)::BIGINT AS dur_ns
  FROM call
  GROUP BY run_id, trace_id, name
),
by_site AS (
  SELECT c.run_id, c.name, s.location, sum(c.dur) AS dur_ns
  FROM call AS c
  JOIN call_site() AS s ON s.slice_id = c.slice_id
  GROUP BY c.run_id, c.name, s.location
),
site AS (
  SELECT run_id, name, max_by(location, (dur_ns, location)) AS location
  FROM by_site
  GROUP BY run_id, name
)
SELECT
  b.run_id,
  'allocation' AS finding,
  b.name AS subject,
  NULL::BIGINT AS rank,
  any_value(s.location) AS location,
  max_by(b.n_calls, (b.dur_ns, b.trace_id)) AS n_events,
  max(b.dur_ns) AS bound_ns,
  NULL::DOUBLE AS coverage,
  'skip(within = $subject)' AS what_if,
  'runtime_call_summary' AS evidence,
  'Memory is allocated or released by the driver' AS sentence,
  'Keep memory: warm up before measuring, avoid empty_cache(), PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True' AS remedy
FROM by_trace AS b
LEFT JOIN site AS s ON s.run_id = b.run_id AND s.name = b.name
GROUP BY b.run_id, b.name
HAVING max(b.dur_ns) > 0
ORDER BY b.run_id, bound_ns DESC, subject
