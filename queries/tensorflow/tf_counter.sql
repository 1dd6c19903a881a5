/* ---
name = "tf_counter"
version = 2
title = "Hardware counters by kernel"
help = """
Counters that were measured over kernels: those matched at import, and those of another trace of the
run with as many kernels, by their order (interception measures counters in a run of its own).
"""
grain = ["metric_id", "kernel_id"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "trace_id", "metric_id", "kernel_id", "ordinal", "kernel", "counter", "value",
  "match",
]

[column]
trace_id.help = "Trace of the counter"
metric_id = { type = "BIGINT", unit = "ref metric.id", help = "Counter" }
kernel_id = { type = "BIGINT", unit = "ref slice.id", nullable = true, help = "Kernel; NULL: not known" }
ordinal = { type = "BIGINT", unit = "count", nullable = true, help = "Order of the dispatch, from 0" }
kernel.help = "Name of the kernel"
counter.help = "Name of the counter"
value = { type = "DOUBLE", unit = "see counter", nullable = true, help = "Value" }
match = { type = "VARCHAR", unit = "text", help = "How the kernel was found: source, name, ordinal, order (in another trace of the run), none" }

[changes]
2 = "a time window hides no kernels"
1 = "first version"
--- */
WITH measured AS (
  SELECT m.*, t.run_id FROM metric AS m JOIN trace AS t ON t.id = m.trace_id
),
lonely AS (
  SELECT run_id, trace_id, count(DISTINCT ordinal) AS n_dispatches
  FROM measured
  WHERE slice_id IS NULL
  GROUP BY run_id, trace_id
),
kernel AS (
  SELECT
    t.run_id, g.trace_id, g.slice_id, g.name,
    row_number() OVER (PARTITION BY g.trace_id ORDER BY g.ts, g.slice_id) - 1 AS ordinal,
    count(*) OVER (PARTITION BY g.trace_id) AS n_kernels
  FROM whole_gpu_op AS g
  JOIN trace AS t ON t.id = g.trace_id
  WHERE g.kind IN ('kernel', 'memset')
),
other AS (
  SELECT l.trace_id, min(k.trace_id) AS kernel_trace_id
  FROM lonely AS l
  JOIN kernel AS k
    ON k.run_id = l.run_id AND k.trace_id <> l.trace_id AND k.n_kernels = l.n_dispatches
  GROUP BY l.trace_id
)
SELECT
  m.run_id,
  m.trace_id,
  m.id AS metric_id,
  coalesce(m.slice_id, k.slice_id) AS kernel_id,
  m.ordinal,
  coalesce(g.name, k.name) AS kernel,
  m.name AS counter,
  m.value,
  CASE
    WHEN m.slice_id IS NOT NULL THEN coalesce(m.match_status, 'source')
    WHEN k.slice_id IS NOT NULL THEN 'order'
    ELSE 'none'
  END AS match
FROM measured AS m
LEFT JOIN whole_gpu_op AS g ON g.slice_id = m.slice_id
LEFT JOIN other AS o ON o.trace_id = m.trace_id AND m.slice_id IS NULL
LEFT JOIN kernel AS k ON k.trace_id = o.kernel_trace_id AND k.ordinal = m.ordinal
ORDER BY m.trace_id, m.id
