/* ---
name = "memcpy_bandwidth_over_time"
version = 1
title = "Bytes copied and set in each bucket of time, by direction"
help = """
Buckets begin at multiples of bucket_ns on the scale of slice.ts. A copy's bytes are spread evenly
over its duration; those of one without a duration lie at its start. So the bytes of all buckets add
up to those of all copies. Buckets in which nothing is moved have no row.
"""
grain = ["trace_id", "device_id", "kind", "direction", "bucket_start_ns"]
portable = false

[param.bucket_ns]
type = "BIGINT"
unit = "ns"
default = 10000000
min = 1
help = "Width of a bucket"

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
name = "direction"
type = "VARCHAR"
unit = "text"
nullable = true
help = "HtoD, DtoH, DtoD, PtoP, HtoH; NULL: a memset, or not said"

[[column]]
name = "bucket_start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the bucket, on the scale of slice.ts"

[[column]]
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Copies or memsets that touch the bucket"

[[column]]
name = "bytes"
type = "DOUBLE"
unit = "byte"
check = ">= 0"
help = "Moved or set in the bucket, parts of bytes included"

[[column]]
name = "active_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the times of single copies in the bucket; more than its width where copies run at once"

[[column]]
name = "bandwidth_gb_per_s"
type = "DOUBLE"
unit = "GB/s"
check = ">= 0"
help = "bytes by the width of the bucket"

[[column]]
name = "active_gb_per_s"
type = "DOUBLE"
unit = "GB/s"
nullable = true
check = ">= 0"
help = "bytes by active_ns; NULL where that is 0"

[changes]
1 = "first version"
--- */
WITH op AS (
  SELECT
    trace_id,
    device_id,
    kind,
    direction,
    ts AS start_ns,
    ts + greatest(dur, 0) AS end_ns,
    greatest(dur, 0) AS dur,
    greatest(coalesce(bytes, 0), 0) AS bytes,
    -- Remainders of negative times are negative: the second % makes them count from below.
    ts - (ts % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT AS first_ns
  FROM gpu_op
  WHERE kind IN ('memcpy', 'memset')
),
piece AS (
  SELECT
    *,
    -- One without a duration has the bucket it starts in.
    unnest(range(first_ns, greatest(end_ns, start_ns + 1), $bucket_ns::BIGINT)) AS bucket_start_ns
  FROM op
),
cut AS (
  SELECT
    *,
    least(end_ns, bucket_start_ns + $bucket_ns::BIGINT) - greatest(start_ns, bucket_start_ns)
      AS inside_ns
  FROM piece
),
filled AS (
  SELECT
    trace_id,
    device_id,
    kind,
    direction,
    bucket_start_ns,
    count(*) AS n_ops,
    -- Added in one order, so that the last digits do not depend on luck.
    sum(CASE WHEN dur = 0 THEN bytes ELSE bytes * (inside_ns / dur) END ORDER BY start_ns, end_ns, bytes)
      AS bytes,
    sum(inside_ns)::BIGINT AS active_ns
  FROM cut
  GROUP BY trace_id, device_id, kind, direction, bucket_start_ns
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.kind,
  a.direction,
  a.bucket_start_ns,
  a.n_ops,
  a.bytes,
  a.active_ns,
  a.bytes / $bucket_ns::BIGINT AS bandwidth_gb_per_s,
  a.bytes / nullif(a.active_ns, 0) AS active_gb_per_s
FROM filled AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY
  t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.kind, a.direction, a.bucket_start_ns
