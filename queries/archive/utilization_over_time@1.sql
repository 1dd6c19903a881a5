/* ---
name = "utilization_over_time"
version = 1
title = "Busy share of each device in each bucket of time"
help = """
Buckets begin at multiples of bucket_ns on the scale of slice.ts and cover the span of the device
without gaps. Of the first and the last bucket only the part inside the span counts, so busy_ns and
covered_ns add up to those of the whole device. A device whose operations are all empty and at one
instant has no row.
"""
grain = ["trace_id", "device_id", "bucket_start_ns"]
requires = { schema = ">=1", queries = ["device_busy@1", "device_op@1"] }
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
name = "bucket_start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the bucket, on the scale of slice.ts"

[[column]]
name = "covered_ns"
type = "BIGINT"
unit = "ns"
check = "> 0"
help = "The part of the bucket inside the span of the device"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Some operation runs"

[[column]]
name = "utilization"
type = "DOUBLE"
unit = "ratio"
check = "BETWEEN 0 AND 1"
help = "busy_ns / covered_ns"

[changes]
1 = "first version"
--- */
WITH busy AS (
  SELECT
    trace_id,
    device_id,
    start_ns,
    end_ns,
    -- Remainders of negative times are negative: the second % makes them count from below.
    start_ns - (start_ns % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT
      AS first_ns
  FROM device_busy()
),
piece AS (
  SELECT trace_id, device_id, start_ns, end_ns, unnest(range(first_ns, end_ns, $bucket_ns::BIGINT))
    AS bucket_start_ns
  FROM busy
),
filled AS (
  SELECT
    trace_id,
    device_id,
    bucket_start_ns,
    sum(
      least(end_ns, bucket_start_ns + $bucket_ns::BIGINT) - greatest(start_ns, bucket_start_ns)
    )::BIGINT AS busy_ns
  FROM piece
  GROUP BY trace_id, device_id, bucket_start_ns
),
span AS (
  SELECT
    trace_id,
    device_id,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns
  FROM device_op()
  GROUP BY trace_id, device_id
  HAVING max(end_ns) > min(start_ns)
),
bucket AS (
  SELECT
    trace_id,
    device_id,
    start_ns,
    end_ns,
    unnest(
      range(
        start_ns - (start_ns % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT,
        end_ns,
        $bucket_ns::BIGINT
      )
    ) AS bucket_start_ns
  FROM span
),
covered AS (
  SELECT
    b.trace_id,
    b.device_id,
    b.bucket_start_ns,
    least(b.end_ns, b.bucket_start_ns + $bucket_ns::BIGINT)
      - greatest(b.start_ns, b.bucket_start_ns) AS covered_ns,
    coalesce(f.busy_ns, 0) AS busy_ns
  FROM bucket AS b
  LEFT JOIN filled AS f
    ON f.trace_id = b.trace_id
    AND f.device_id IS NOT DISTINCT FROM b.device_id
    AND f.bucket_start_ns = b.bucket_start_ns
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.bucket_start_ns,
  a.covered_ns,
  a.busy_ns,
  a.busy_ns / a.covered_ns AS utilization
FROM covered AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.bucket_start_ns
