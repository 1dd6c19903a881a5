/* ---
name = "kernel_summary"
version = 3
title = "Kernels by name, by total time"
help = """
Kernel durations are summed including those that overlap, so shares are of that sum, not of the
span. Negative durations, including unfinished ones, count as 0 ns. Longest total first. In a time
window, sums are of the parts of the durations inside it, so disjoint windows add up to the whole;
other statistics are of whole durations. Short
names and categories are those of work_category.
"""
grain = ["trace_id", "device_id", "name", "class"]
requires = { schema = ">=13", queries = ["work_category@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "kernel_name", "kernel_category", "name",
  "class", "n_kernels", "total_ns", "share", "class_share", "min_ns", "median_ns", "p90_ns",
  "p99_ns", "max_ns", "mean_ns", "stddev_ns",
]

[param.top]
type = "BIGINT"
unit = "count"
nullable = true
min = 1
help = "Maximum number of kernels per device; null: all"

[column]
kernel_name.help = "Short name, unique among the kernels of the scope; NULL: without a name"
name.help = "Kernel name, as recorded"
class.help = "compute or communication"
share.help = "Share of the total time of all kernels of the device; NULL if that is 0"
p90_ns.help = "90th percentile of the durations, interpolated"
p99_ns.help = "99th percentile of the durations, interpolated"
stddev_ns = { nullable = true, help = "Sample standard deviation (divisor n - 1); NULL for a single one" }

[changes]
3 = "new columns: kernel_name, kernel_category"
1 = "first version"
2 = "new columns: class_share, p90_ns, p99_ns, stddev_ns"
--- */
WITH by_name AS (
  SELECT
    trace_id,
    device_id,
    name,
    class,
    count(*) AS n_kernels,
    sum(
      greatest(least(ts + dur, w.to_ns) - greatest(ts, w.from_ns), 0)
    )::BIGINT AS total_ns,
    sum(greatest(dur, 0))::BIGINT AS all_ns,
    min(greatest(dur, 0)) AS min_ns,
    quantile_cont(greatest(dur, 0), [0.5, 0.9, 0.99]) AS quantiles_ns,
    max(greatest(dur, 0)) AS max_ns,
    stddev_samp(greatest(dur, 0)) AS stddev_ns
  FROM gpu_op
  CROSS JOIN time_window AS w
  WHERE kind = 'kernel'
  GROUP BY trace_id, device_id, name, class
),
ranked AS (
  SELECT
    *,
    sum(total_ns) OVER (PARTITION BY trace_id, device_id) AS device_total_ns,
    sum(total_ns) OVER (PARTITION BY trace_id, device_id, class) AS class_total_ns,
    row_number() OVER (
      PARTITION BY trace_id, device_id
      ORDER BY total_ns DESC, n_kernels DESC, name, class
    ) AS place
  FROM by_name
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  c.short_name AS kernel_name,
  coalesce(c.category, 'other') AS kernel_category,
  a.name,
  a.class,
  a.n_kernels,
  a.total_ns,
  a.total_ns / nullif(a.device_total_ns, 0) AS share,
  a.total_ns / nullif(a.class_total_ns, 0) AS class_share,
  a.min_ns,
  a.quantiles_ns[1] AS median_ns,
  a.quantiles_ns[2] AS p90_ns,
  a.quantiles_ns[3] AS p99_ns,
  a.max_ns,
  a.all_ns / a.n_kernels AS mean_ns,
  a.stddev_ns
FROM ranked AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
LEFT JOIN work_category() AS c ON c.kind = 'kernel' AND c.name = a.name
WHERE $top::BIGINT IS NULL OR a.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.place
