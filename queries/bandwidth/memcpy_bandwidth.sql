/* ---
name = "memcpy_bandwidth"
version = 1
title = "Bandwidth of copies and memsets by what moves where and how much"
help = """
A copy's bandwidth is its bytes by its duration, in bytes a nanosecond, which are GB/s (10^9 bytes a
second). Median, min and max are of single copies; bandwidth_gb_per_s is that of all together: all
their bytes by the sum of their durations. Copies whose size the source does not say, and those that
take no time as the source has it, have no bandwidth: n_measured counts the others. Size classes
begin at 0, 4 KiB, 64 KiB, 1 MiB, 16 MiB and 256 MiB; with by_size=false there is one row, all.
"""
grain = ["trace_id", "device_id", "kind", "name", "direction", "size_class"]

[param.by_size]
type = "BOOLEAN"
default = true
help = "One row for each class of sizes; false: all sizes in one"

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
name = "kind"
type = "VARCHAR"
unit = "text"
help = "memcpy or memset"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "As the source calls it; tells pageable from pinned memory"

[[column]]
name = "direction"
type = "VARCHAR"
unit = "text"
nullable = true
help = "HtoD, DtoH, DtoD, PtoP, HtoH; NULL: a memset, or not said"

[[column]]
name = "size_class"
type = "VARCHAR"
unit = "text"
help = "Which sizes: < 4 KiB, 4 - 64 KiB, 64 KiB - 1 MiB, 1 - 16 MiB, 16 - 256 MiB, >= 256 MiB, unknown, or all"

[[column]]
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Copies or memsets"

[[column]]
name = "n_measured"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Those with a size and a duration above 0"

[[column]]
name = "total_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Moved or set by all whose size is said"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations; unfinished and negative ones count 0"

[[column]]
name = "bandwidth_gb_per_s"
type = "DOUBLE"
unit = "GB/s"
nullable = true
check = ">= 0"
help = "Bytes by time of those measured; NULL without any"

[[column]]
name = "min_gb_per_s"
type = "DOUBLE"
unit = "GB/s"
nullable = true
check = ">= 0"
help = "Least of a single one"

[[column]]
name = "median_gb_per_s"
type = "DOUBLE"
unit = "GB/s"
nullable = true
check = ">= 0"
help = "Median; between the two middle ones of an even number"

[[column]]
name = "max_gb_per_s"
type = "DOUBLE"
unit = "GB/s"
nullable = true
check = ">= 0"
help = "Greatest of a single one"

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
    coalesce(sum(greatest(bytes, 0)), 0)::BIGINT AS total_bytes,
    sum(dur)::BIGINT AS total_ns,
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
