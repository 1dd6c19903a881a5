/* ---
name = "kernel_summary"
version = 1
title = "Kernels by name, those that take longest first"
help = """
The durations of kernels that overlap are added, so the shares are of the sum and not of the span.
A kernel of negative length, also one that never ended, counts 0 ns.
"""
grain = ["trace_id", "device_id", "name", "class"]

[param.top]
type = "BIGINT"
unit = "count"
nullable = true
min = 1
help = "Only so many kernels of each device; null: all"

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: operations whose device the source does not say"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The kernel"

[[column]]
name = "class"
type = "VARCHAR"
unit = "text"
help = "compute or communication"

[[column]]
name = "n_kernels"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it ran"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations"

[[column]]
name = "share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "total_ns of that of all kernels of the device; NULL when that is 0"

[[column]]
name = "min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Shortest"

[[column]]
name = "max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Longest"

[[column]]
name = "mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean"

[[column]]
name = "median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median; between the two middle ones of an even number"

[changes]
1 = "first version"
--- */
WITH by_name AS (
  SELECT
    trace_id,
    device_id,
    name,
    class,
    count(*) AS n_kernels,
    sum(greatest(dur, 0))::BIGINT AS total_ns,
    min(greatest(dur, 0)) AS min_ns,
    max(greatest(dur, 0)) AS max_ns,
    median(greatest(dur, 0)) AS median_ns
  FROM gpu_op
  WHERE kind = 'kernel'
  GROUP BY trace_id, device_id, name, class
),
ranked AS (
  SELECT
    *,
    sum(total_ns) OVER (PARTITION BY trace_id, device_id) AS device_total_ns,
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
  a.name,
  a.class,
  a.n_kernels,
  a.total_ns,
  a.total_ns / nullif(a.device_total_ns, 0) AS share,
  a.min_ns,
  a.max_ns,
  a.total_ns / a.n_kernels AS mean_ns,
  a.median_ns
FROM ranked AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
WHERE $top::BIGINT IS NULL OR a.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.place
