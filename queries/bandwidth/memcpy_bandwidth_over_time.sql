/* ---
name = "memcpy_bandwidth_over_time"
version = 1
title = "Bytes copied and set per time bucket, by direction"
help = """
Buckets start at multiples of bucket_ns on the time axis of slice.ts. The bytes of a copy are spread
evenly over its duration; those of a copy of duration 0 count at its start, so the bytes of all
buckets add up to those of all copies. Buckets without copies have no row.
A time window contains the bytes spread over it.
"""
grain = ["trace_id", "device_id", "kind", "direction", "bucket_start_ns"]
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "kind", "direction", "bucket_start_ns",
  "n_ops", "bytes", "active_ns", "bandwidth_gb_per_s", "active_gb_per_s",
]

[param.bucket_ns]
type = "BIGINT"
unit = "ns"
default = 10000000
min = 1
help = "Bucket width"

[column]
kind.help = "memcpy or memset"
n_ops.help = "Number of copies or memsets that overlap the bucket"
bytes = { type = "DOUBLE", unit = "byte", check = ">= 0", help = "Bytes moved or set in the bucket, with fractions" }
bandwidth_gb_per_s = { type = "DOUBLE", unit = "GB/s", check = ">= 0", help = "bytes / width of the bucket" }

[column.active_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the times of single copies in the bucket; exceeds its width if copies overlap"

[column.active_gb_per_s]
type = "DOUBLE"
unit = "GB/s"
nullable = true
check = ">= 0"
help = "bytes / active_ns; NULL if active_ns is 0"

[changes]
1 = "first version"
--- */
WITH op AS (
  SELECT
    trace_id,
    device_id,
    kind,
    direction,
    greatest(ts, w.from_ns) AS start_ns,
    least(greatest(ts + greatest(dur, 0), w.from_ns), w.to_ns) AS end_ns,
    greatest(dur, 0) AS dur,
    greatest(coalesce(bytes, 0), 0) AS bytes,
    -- The remainder of a negative time is negative; the second % makes buckets start below the
    -- time.
    greatest(ts, w.from_ns)
    - (greatest(ts, w.from_ns) % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT
      AS first_ns
  FROM gpu_op
  CROSS JOIN time_window AS w
  WHERE kind IN ('memcpy', 'memset')
    AND (dur > 0 OR ts >= w.from_ns)
),
piece AS (
  SELECT
    *,
    -- A copy of duration 0 belongs to the bucket it starts in.
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
    -- A fixed order keeps the last digits of the sum deterministic.
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
