/* ---
name = "utilization_over_time"
version = 3
title = "Busy share per device, by time bucket"
help = """
Buckets start at multiples of bucket_ns on the time axis of slice.ts and cover the span of the
device without gaps. The first and last bucket count only the part inside the span, so busy_ns and
covered_ns add up to those of the whole device. A device whose operations are all empty and at one
instant has no row. If the span of a device holds max_buckets such buckets or more, as after a clock
jump, its buckets are the smallest whole multiple of bucket_ns that gives fewer; the width is a
column.

aligned_start_ns compares ranks: the start on the clock that the traces of a run share, from the earliest base of
them, rounded to whole buckets. Traces whose clock offset is unknown (rank_clock) keep their own time.
"""
grain = ["trace_id", "device_id", "bucket_start_ns"]
requires = { schema = ">=1", queries = ["device_extent@1", "device_busy@1"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "bucket_start_ns", "bucket_ns", "covered_ns",
  "busy_ns", "utilization", "aligned_start_ns",
]

[param.bucket_ns]
type = "BIGINT"
unit = "ns"
default = 10000000
min = 1
help = "Bucket width"

[param.max_buckets]
type = "BIGINT"
unit = "count"
default = 100000
min = 1
help = "Number of buckets from which a device gets wider buckets"

[column]
bucket_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Width of the bucket" }
covered_ns.help = "Part of the bucket inside the span of the device"
busy_ns.help = "Time in which any operation runs"
utilization = { nullable = false, help = "busy_ns / covered_ns" }
aligned_start_ns = { type = "BIGINT", unit = "ns", help = "Start of the bucket on the clock shared by the run, to the nearest multiple of its width" }

[changes]
3 = "new column aligned_start_ns, to compare ranks"
1 = "first version"
2 = "new column bucket_ns: no device has more than max_buckets + 1 buckets, however long its span; before, one clock jump could produce millions of rows"
--- */
WITH extent AS (
  SELECT trace_id, device_id, start_ns, end_ns
  FROM device_extent()
  WHERE end_ns > start_ns
),
sized AS (
  SELECT
    *,
    ((end_ns - start_ns) // $bucket_ns::BIGINT // $max_buckets::BIGINT + 1) * $bucket_ns::BIGINT
      AS bucket_ns
  FROM extent
),
span AS (
  -- The remainder of a negative time is negative; the second % makes buckets start below the time.
  SELECT *, start_ns - (start_ns % bucket_ns + bucket_ns) % bucket_ns AS first_ns
  FROM sized
),
busy AS (
  SELECT
    b.trace_id,
    b.device_id,
    b.start_ns,
    b.end_ns,
    s.bucket_ns,
    b.start_ns - (b.start_ns % s.bucket_ns + s.bucket_ns) % s.bucket_ns AS first_ns
  FROM device_busy() AS b
  JOIN span AS s ON s.trace_id = b.trace_id AND s.device_id IS NOT DISTINCT FROM b.device_id
),
-- Few operations last beyond the end of a bucket: only these are split.
piece AS (
  SELECT trace_id, device_id, start_ns, end_ns, bucket_ns, first_ns AS bucket_start_ns
  FROM busy
  WHERE end_ns - first_ns <= bucket_ns
  UNION ALL
  SELECT
    trace_id,
    device_id,
    start_ns,
    end_ns,
    bucket_ns,
    unnest(range(first_ns, end_ns, bucket_ns)) AS bucket_start_ns
  FROM busy
  WHERE end_ns - first_ns > bucket_ns
),
filled AS (
  SELECT
    trace_id,
    device_id,
    bucket_start_ns,
    sum(least(end_ns, bucket_start_ns + bucket_ns) - greatest(start_ns, bucket_start_ns))::BIGINT
      AS busy_ns
  FROM piece
  GROUP BY trace_id, device_id, bucket_start_ns
),
bucket AS (
  SELECT *, unnest(range(first_ns, end_ns, bucket_ns)) AS bucket_start_ns
  FROM span
),
covered AS (
  SELECT
    b.trace_id,
    b.device_id,
    b.bucket_start_ns,
    b.bucket_ns,
    least(b.end_ns, b.bucket_start_ns + b.bucket_ns) - greatest(b.start_ns, b.bucket_start_ns)
      AS covered_ns,
    coalesce(f.busy_ns, 0) AS busy_ns
  FROM bucket AS b
  LEFT JOIN filled AS f
    ON f.trace_id = b.trace_id
    AND f.device_id IS NOT DISTINCT FROM b.device_id
    AND f.bucket_start_ns = b.bucket_start_ns
),
-- Nanoseconds to add to times of each trace.
shift AS (
  SELECT
    t.id AS trace_id,
    coalesce(
      t.base_ns + c.offset_ns - min(t.base_ns + c.offset_ns) OVER (PARTITION BY t.run_id), 0
    ) AS shift_ns,
    coalesce(c.drift, 0) AS drift
  FROM trace AS t
  LEFT JOIN clock AS c ON c.id = t.clock_id
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.bucket_start_ns,
  a.bucket_ns,
  a.covered_ns,
  a.busy_ns,
  a.busy_ns / a.covered_ns AS utilization,
  a.bucket_start_ns
    + round((s.shift_ns + s.drift * a.bucket_start_ns) / a.bucket_ns)::BIGINT * a.bucket_ns AS aligned_start_ns
FROM covered AS a
JOIN trace AS t ON t.id = a.trace_id
JOIN shift AS s ON s.trace_id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.bucket_start_ns
