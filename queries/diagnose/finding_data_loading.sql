/* ---
name = "finding_data_loading"
version = 2
title = "Finding: steps wait for data"
help = """
Time of host threads in annotations of data loaders (names with DataLoader). Of the ranks the one with most
counts. In a time window the parts inside it count.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", rows = ["annotation"] }
scale = "run"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'data_loading'"
subject.help = "Name of the annotation"
n_events.help = "Number of annotations on the rank with most time in them"
bound_ns.help = "Time in the annotations"

[changes]
2 = "a time window cuts the annotations"
1 = "first version"
--- */
WITH loading AS (
  SELECT
    t.run_id, a.trace_id, a.name, count(*) AS n_ranges,
    sum(greatest(least(a.ts + a.dur, w.to_ns) - greatest(a.ts, w.from_ns), 0))::BIGINT AS dur_ns
  FROM annotation AS a
  CROSS JOIN time_window AS w
  JOIN trace AS t ON t.id = a.trace_id
  WHERE a.side = 'host' AND a.name ILIKE '%dataloader%'
  GROUP BY t.run_id, a.trace_id, a.name
)
SELECT
  run_id,
  'data_loading' AS finding,
  name AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  max_by(n_ranges, (dur_ns, trace_id)) AS n_events,
  max(dur_ns) AS bound_ns,
  NULL::DOUBLE AS coverage,
  'skip(within = $subject)' AS what_if,
  'annotation_summary' AS evidence,
  'Steps wait for the next batch' AS sentence,
  'Load in the background: num_workers, pin_memory, prefetch_factor; a faster storage or decoder' AS remedy
FROM loading
GROUP BY run_id, name
HAVING max(dur_ns) > 0
ORDER BY run_id, bound_ns DESC, subject
