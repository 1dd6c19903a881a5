/* ---
name = "queue_length_over_time"
version = 1
title = "How much launched work waits on each stream, in each bucket of time"
help = """
Work counts as queued from the start of the call that launched it until it starts, and as outstanding
until it ends. What begins before its own call (clocks that disagree) is queued for no time, and so
is work without a known call, which does not count at all. All work of a graph launch is queued at
once.

Buckets begin at multiples of bucket_ns on the scale of slice.ts and cover the time from the first
launch of the stream to the end of its last operation; of the first and the last bucket only the part
inside that counts.
"""
grain = ["trace_id", "device_id", "stream", "bucket_start_ns"]
requires = { schema = ">=1", queries = ["queue_step@1"] }
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
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "Stream or queue, as the source counts"

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
help = "The part of the bucket that counts"

[[column]]
name = "mean_queue_length"
type = "DOUBLE"
unit = "count"
check = ">= 0"
help = "Mean over covered_ns of the operations launched and not started"

[[column]]
name = "max_queue_length"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Greatest number of them"

[[column]]
name = "mean_outstanding"
type = "DOUBLE"
unit = "count"
check = ">= 0"
help = "Mean over covered_ns of the operations launched and not ended"

[changes]
1 = "first version"
--- */
WITH held AS (
  SELECT
    *,
    -- Remainders of negative times are negative: the second % makes them count from below.
    ts_ns - (ts_ns % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT AS first_ns
  FROM queue_step()
  WHERE next_ts_ns IS NOT NULL
),
-- Few lengths hold beyond the end of a bucket: only these are taken apart.
piece AS (
  SELECT *, first_ns AS bucket_start_ns
  FROM held
  WHERE next_ts_ns - first_ns <= $bucket_ns::BIGINT
  UNION ALL
  SELECT *, unnest(range(first_ns, next_ts_ns, $bucket_ns::BIGINT)) AS bucket_start_ns
  FROM held
  WHERE next_ts_ns - first_ns > $bucket_ns::BIGINT
),
cut AS (
  SELECT
    *,
    least(next_ts_ns, bucket_start_ns + $bucket_ns::BIGINT) - greatest(ts_ns, bucket_start_ns)
      AS held_ns
  FROM piece
),
filled AS (
  SELECT
    trace_id,
    device_id,
    stream,
    bucket_start_ns,
    sum(held_ns)::BIGINT AS covered_ns,
    sum(held_ns * queue_length)::DOUBLE AS queue_area,
    max(queue_length) AS max_queue_length,
    sum(held_ns * n_outstanding)::DOUBLE AS outstanding_area
  FROM cut
  GROUP BY trace_id, device_id, stream, bucket_start_ns
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.stream,
  a.bucket_start_ns,
  a.covered_ns,
  a.queue_area / a.covered_ns AS mean_queue_length,
  a.max_queue_length,
  a.outstanding_area / a.covered_ns AS mean_outstanding
FROM filled AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream, a.bucket_start_ns
