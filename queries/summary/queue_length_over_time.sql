/* ---
name = "queue_length_over_time"
version = 2
title = "Queue length per stream, by time bucket"
help = """
Work counts as queued from the start of the call that launched it until the work starts, and as
outstanding until it ends. Work that starts before its own call (inconsistent clocks) is never
queued; work without a recorded call does not count at all. All work of a graph launch is queued at
once.

Buckets start at multiples of bucket_ns on the time axis of slice.ts and cover the time from the
first launch of the stream to the end of its last operation; the first and last bucket count only
the part inside. In a time window, all work of the trace counts; means and sums are over the part of
that time inside the window, so disjoint windows add up to the whole.
"""
grain = ["trace_id", "device_id", "track_id", "stream", "bucket_start_ns"]
requires = { schema = ">=1", queries = ["queue_step@3"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "track_id", "stream", "bucket_start_ns",
  "covered_ns", "mean_queue_length", "max_queue_length", "mean_outstanding",
]

[param.bucket_ns]
type = "BIGINT"
unit = "ns"
default = 10000000
min = 1
help = "Bucket width"

[column]
track_id.help = "Track of the stream"
covered_ns.help = "Part of the bucket that counts"

[column.mean_queue_length]
type = "DOUBLE"
unit = "count"
check = ">= 0"
help = "Time-weighted mean over covered_ns of the operations launched and not started"

[column.mean_outstanding]
type = "DOUBLE"
unit = "count"
check = ">= 0"
help = "Time-weighted mean over covered_ns of the operations launched and not ended"

[changes]
2 = "streams of different processes and contexts are separate, identified by track_id"
1 = "first version"
--- */
WITH held AS (
  SELECT
    *,
    -- The remainder of a negative time is negative; the second % makes buckets start below the
    -- time.
    ts_ns - (ts_ns % $bucket_ns::BIGINT + $bucket_ns::BIGINT) % $bucket_ns::BIGINT AS first_ns
  FROM queue_step()
  WHERE next_ts_ns IS NOT NULL
),
-- Few lengths last beyond the end of a bucket: only these are split.
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
    track_id,
    stream,
    bucket_start_ns,
    sum(held_ns)::BIGINT AS covered_ns,
    sum(held_ns * queue_length)::DOUBLE AS queue_area,
    max(queue_length) AS max_queue_length,
    sum(held_ns * n_outstanding)::DOUBLE AS outstanding_area
  FROM cut
  GROUP BY trace_id, device_id, track_id, stream, bucket_start_ns
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.track_id,
  a.stream,
  a.bucket_start_ns,
  a.covered_ns,
  a.queue_area / a.covered_ns AS mean_queue_length,
  a.max_queue_length,
  a.outstanding_area / a.covered_ns AS mean_outstanding
FROM filled AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream, a.track_id, a.bucket_start_ns
