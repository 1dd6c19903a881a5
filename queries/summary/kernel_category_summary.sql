/* ---
name = "kernel_category_summary"
version = 1
title = "Kernel time by category"
help = """
Categories are those of work_category, by the names of the kernels. Kernel durations are summed
including those that overlap, so shares are of that sum, not of the span. Negative durations,
including unfinished ones, count as 0 ns. Longest total first. In a time window, sums are of the parts
of the durations inside it, so disjoint windows add up to the whole.
"""
grain = ["trace_id", "device_id", "kernel_category"]
requires = { schema = ">=13", queries = ["work_category@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "kernel_category", "n_names", "n_kernels",
  "total_ns", "share",
]

[column]
kernel_category.nullable = false
share.help = "Share of the total time of all kernels of the device; NULL if that is 0"

[column.n_names]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of different kernel names"

[changes]
1 = "first version"
--- */
WITH by_name AS (
  SELECT
    trace_id,
    device_id,
    name,
    count(*) AS n_kernels,
    sum(
      greatest(least(ts + dur, w.to_ns) - greatest(ts, w.from_ns), 0)
    )::BIGINT AS total_ns
  FROM gpu_op
  CROSS JOIN time_window AS w
  WHERE kind = 'kernel'
  GROUP BY trace_id, device_id, name
),
by_category AS (
  SELECT
    n.trace_id,
    n.device_id,
    coalesce(c.category, 'other') AS kernel_category,
    count(*) AS n_names,
    sum(n.n_kernels)::BIGINT AS n_kernels,
    sum(n.total_ns)::BIGINT AS total_ns
  FROM by_name AS n
  LEFT JOIN work_category() AS c ON c.kind = 'kernel' AND c.name = n.name
  GROUP BY n.trace_id, n.device_id, coalesce(c.category, 'other')
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.kernel_category,
  a.n_names,
  a.n_kernels,
  a.total_ns,
  a.total_ns / nullif(sum(a.total_ns) OVER (PARTITION BY a.trace_id, a.device_id), 0) AS share
FROM by_category AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.total_ns DESC, a.kernel_category
