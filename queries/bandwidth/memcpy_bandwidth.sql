/* ---
name = "memcpy_bandwidth"
version = 2
title = "Copy and memset bandwidth by direction and size class"
help = """
The bandwidth of a copy is its size divided by its duration, in bytes per nanosecond, which equals
GB/s (10^9 bytes per second). In traces whose device times are whole microseconds, durations of short
copies are off by up to their length: there the bandwidth that the profiler recorded is used, if it did
(bandwidth_source). Median, minimum and maximum are over single copies; bandwidth_gb_per_s
is the sum of all bytes divided by the sum of all times. Copies without a recorded size or with
a duration of 0 have no bandwidth; n_measured counts the others. Size classes start at 0, 4 KiB, 64
KiB, 1 MiB, 16 MiB and 256 MiB; with by_size=false all sizes share one row. In a time window,
total_ns is of the parts of the copies inside it, and total_bytes of the copies that start in it, so
disjoint windows add up to the whole; bandwidths are of whole copies.
"""
grain = ["trace_id", "device_id", "kind", "name", "direction", "size_class"]
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "kind", "name", "direction", "size_class",
  "n_ops", "n_measured", "total_bytes", "total_ns", "bandwidth_gb_per_s", "min_gb_per_s",
  "median_gb_per_s", "max_gb_per_s", "bandwidth_source",
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
help = "Number of operations with a size, and a duration above 0 or a recorded bandwidth"

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

[column.bandwidth_source]
type = "VARCHAR"
unit = "text"
nullable = true
check = "IN ('duration', 'recorded', 'both')"
help = "Whether bandwidths follow from durations, were recorded, or both; NULL: none was measured"

[changes]
1 = "first version"
2 = "recorded bandwidths where device times are whole microseconds; new column bandwidth_source"
--- */
WITH whole_us AS (
  SELECT trace_id FROM whole_gpu_op GROUP BY trace_id HAVING max(abs(dur) % 1000) = 0
),
recorded AS (
  SELECT
    g.slice_id,
    TRY_CAST(json_extract_string(s.args_json, '$."memory bandwidth (GB/s)"') AS DOUBLE) AS gb_per_s
  FROM gpu_op AS g
  SEMI JOIN whole_us AS u ON u.trace_id = g.trace_id
  JOIN slice AS s ON s.id = g.slice_id
  WHERE g.kind IN ('memcpy', 'memset')
),
op AS (
  SELECT
    g.trace_id,
    device_id,
    kind,
    name,
    direction,
    bytes,
    r.gb_per_s > 0 IS TRUE AS is_recorded,
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
    CASE
      WHEN bytes > 0 AND r.gb_per_s > 0 THEN bytes / r.gb_per_s
      WHEN bytes >= 0 AND dur > 0 THEN dur
    END AS measured_ns
  FROM gpu_op AS g
  LEFT JOIN recorded AS r ON r.slice_id = g.slice_id
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
    count(measured_ns) AS n_measured,
    coalesce(sum(CASE WHEN is_start_inside THEN greatest(bytes, 0) END), 0)::BIGINT AS total_bytes,
    sum(inside_ns)::BIGINT AS total_ns,
    sum(CASE WHEN measured_ns IS NOT NULL THEN bytes END) / sum(measured_ns) AS bandwidth_gb_per_s,
    min(bytes / measured_ns) AS min_gb_per_s,
    median(bytes / measured_ns) AS median_gb_per_s,
    max(bytes / measured_ns) AS max_gb_per_s,
    CASE
      WHEN bool_and(is_recorded) FILTER (measured_ns IS NOT NULL) THEN 'recorded'
      WHEN bool_or(is_recorded) FILTER (measured_ns IS NOT NULL) THEN 'both'
      WHEN count(measured_ns) > 0 THEN 'duration'
    END AS bandwidth_source
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
  a.max_gb_per_s,
  a.bandwidth_source
FROM summed AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY
  t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.kind, a.name, a.direction, a.size_rank
