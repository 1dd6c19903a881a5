/* ---
name = "memcpy_bandwidth"
version = 1
title = "Copy and memset bandwidth by direction and size class"
help = """
The bandwidth of a copy is its size divided by its duration, in bytes per nanosecond, which equals
GB/s (10^9 bytes per second). Median, minimum and maximum are over single copies; bandwidth_gb_per_s
is the sum of all bytes divided by the sum of all durations. Copies without a recorded size or with
a duration of 0 have no bandwidth; n_measured counts the others. Size classes start at 0, 4 KiB, 64
KiB, 1 MiB, 16 MiB and 256 MiB; with by_size=false all sizes share one row. In a time window,
total_ns is of the parts of the copies inside it, and total_bytes of the copies that start in it, so
disjoint windows add up to the whole; bandwidths are of whole copies.
"""
grain = ["trace_id", "device_id", "kind", "name", "direction", "size_class"]
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "kind", "name", "direction", "size_class",
  "n_ops", "n_measured", "total_bytes", "total_ns", "bandwidth_gb_per_s", "min_gb_per_s",
  "median_gb_per_s", "max_gb_per_s",
]

[param.by_size]
type = "BOOLEAN"
default = true
help = "Return one row per size class; false: one row for all sizes"

[column]
kind.help = "memcpy or memset"
name.help = "Name as recorded; distinguishes pageable and pinned memory"
n_ops.help = "Number of copies or memsets"
total_bytes.help = "Bytes moved or set by all operations with a recorded size"
total_ns.help = "Sum of the durations; unfinished and negative ones count as 0"

[column.size_class]
type = "VARCHAR"
unit = "text"
help = "Size class: < 4 KiB, 4 - 64 KiB, 64 KiB - 1 MiB, 1 - 16 MiB, 16 - 256 MiB, >= 256 MiB, unknown, or all"

[column.n_measured]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of operations with a size and a duration above 0"

[column.bandwidth_gb_per_s]
type = "DOUBLE"
unit = "GB/s"
nullable = true
check = ">= 0"
help = "Bytes / duration of the measured ones; NULL if there are none"

[column.min_gb_per_s]
type = "DOUBLE"
unit = "GB/s"
nullable = true
check = ">= 0"
help = "Lowest bandwidth of a single operation"

[column.median_gb_per_s]
type = "DOUBLE"
unit = "GB/s"
nullable = true
check = ">= 0"
help = "Median bandwidth; of an even number the mean of the middle two"

[column.max_gb_per_s]
type = "DOUBLE"
unit = "GB/s"
nullable = true
check = ">= 0"
help = "Highest bandwidth of a single operation"

[changes]
1 = "first version"
--- */
WITH op AS (
  SELECT
    trace_id,
    device_id,
    kind,
    name,
    direction,
    bytes,
    greatest(dur, 0) AS dur,
    greatest(least(ts + dur, w.to_ns) - greatest(ts, w.from_ns), 0) AS inside_ns,
    ts >= w.from_ns AS is_start_inside,
    CASE
      WHEN NOT $by_size::BOOLEAN THEN 0
      WHEN bytes IS NULL THEN 7
      WHEN bytes < 4096 THEN 1
      WHEN bytes < 65536 THEN 2
      WHEN bytes < 1048576 THEN 3
      WHEN bytes < 16777216 THEN 4
      WHEN bytes < 268435456 THEN 5
      ELSE 6
    END AS size_rank,
    CASE WHEN bytes >= 0 AND dur > 0 THEN bytes / dur END AS gb_per_s
  FROM gpu_op
  CROSS JOIN time_window AS w
  WHERE kind IN ('memcpy', 'memset')
),
summed AS (
  SELECT
    trace_id,
    device_id,
    kind,
    name,
    direction,
    size_rank,
    count(*) AS n_ops,
    count(gb_per_s) AS n_measured,
    coalesce(sum(CASE WHEN is_start_inside THEN greatest(bytes, 0) END), 0)::BIGINT AS total_bytes,
    sum(inside_ns)::BIGINT AS total_ns,
    sum(CASE WHEN gb_per_s IS NOT NULL THEN bytes END)
      / sum(CASE WHEN gb_per_s IS NOT NULL THEN dur END) AS bandwidth_gb_per_s,
    min(gb_per_s) AS min_gb_per_s,
    median(gb_per_s) AS median_gb_per_s,
    max(gb_per_s) AS max_gb_per_s
  FROM op
  GROUP BY trace_id, device_id, kind, name, direction, size_rank
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.kind,
  a.name,
  a.direction,
  CASE a.size_rank
    WHEN 0 THEN 'all'
    WHEN 1 THEN '< 4 KiB'
    WHEN 2 THEN '4 - 64 KiB'
    WHEN 3 THEN '64 KiB - 1 MiB'
    WHEN 4 THEN '1 - 16 MiB'
    WHEN 5 THEN '16 - 256 MiB'
    WHEN 6 THEN '>= 256 MiB'
    ELSE 'unknown'
  END AS size_class,
  a.n_ops,
  a.n_measured,
  a.total_bytes,
  a.total_ns,
  a.bandwidth_gb_per_s,
  a.min_gb_per_s,
  a.median_gb_per_s,
  a.max_gb_per_s
FROM summed AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY
  t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.kind, a.name, a.direction, a.size_rank
