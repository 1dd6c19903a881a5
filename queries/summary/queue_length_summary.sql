/* ---
name = "queue_length_summary"
version = 3
title = "Queue length statistics per stream"
help = """
Work counts as queued from the start of the call that launched it until the work starts, and as
outstanding until it ends. Work that starts before its own call (inconsistent clocks) is never
queued; work without a recorded call does not count at all. All work of a graph launch is queued at
once.

Means and shares are time-weighted, from the first launch of the stream to the end of its last
operation. Holistic Trace Analysis instead counts each change of length once, however short it
lasts. In a time window, all work of the trace counts; means and sums are over the part of that time
inside the window, so disjoint windows add up to the whole.
"""
grain = ["trace_id", "device_id", "track_id", "stream"]
requires = { schema = ">=1", queries = ["queue_step@3"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "track_id", "stream", "n_ops", "span_ns",
  "mean_queue_length", "max_queue_length", "max_start_ns", "mean_outstanding", "max_outstanding",
  "empty_ns", "empty_share", "full_ns", "full_share",
]

[param.full_length]
type = "BIGINT"
unit = "count"
default = 1024
min = 1
help = "Number of queued operations at which a queue is full"

[column]
track_id.help = "Track of the stream"
n_ops = { check = ">= 0", help = "Number of operations with a known call; 0 only in a time window" }
span_ns.help = "Time from the first launch to the end of the last operation"
empty_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time in which nothing was queued" }
full_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "full_ns / span_ns" }

[column.mean_queue_length]
type = "DOUBLE"
unit = "count"
nullable = true
check = ">= 0"
help = "Time-weighted mean of the operations launched and not started; NULL for an empty span"

[column.max_start_ns]
type = "BIGINT"
unit = "ns"
help = "When max_queue_length was first reached, on the time axis of slice.ts"

[column.mean_outstanding]
type = "DOUBLE"
unit = "count"
nullable = true
check = ">= 0"
help = "Time-weighted mean of the operations launched and not ended; NULL for an empty span"

[column.max_outstanding]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Maximum number of operations launched and not ended"

[column.empty_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "empty_ns / span_ns"

[column.full_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Time in which at least full_length operations were queued, so launching blocks the host"

[changes]
3 = "n_ops may be 0 in a time window in which no work of a stream runs"
2 = "streams of different processes and contexts are separate, identified by track_id"
1 = "first version"
--- */
WITH held AS (
  SELECT *, coalesce(next_ts_ns - ts_ns, 0) AS held_ns
  FROM queue_step()
),
summed AS (
  SELECT
    trace_id,
    device_id,
    track_id,
    stream,
    any_value(n_ops) AS n_ops,
    sum(held_ns)::BIGINT AS span_ns,
    sum(held_ns * queue_length)::DOUBLE AS queue_area,
    max(queue_length) AS max_queue_length,
    -- The first time of the maximum length: the factor exceeds all times.
    max(queue_length * 18446744073709551616 - ts_ns) AS greatest_queue,
    sum(held_ns * n_outstanding)::DOUBLE AS outstanding_area,
    max(n_outstanding) AS max_outstanding,
    sum(CASE WHEN queue_length = 0 THEN held_ns ELSE 0 END)::BIGINT AS empty_ns,
    sum(CASE WHEN queue_length >= $full_length::BIGINT THEN held_ns ELSE 0 END)::BIGINT AS full_ns
  FROM held
  GROUP BY trace_id, device_id, track_id, stream
),
-- One row if a time window is set: operations are counted again only then.
set_window AS (
  SELECT from_ns, to_ns
  FROM time_window
  WHERE from_ns > -9223372036854775807 OR to_ns < 9223372036854775807
),
inside AS MATERIALIZED (
  SELECT d.slice_id, d.trace_id, d.device_id, d.track_id, d.stream
  FROM gpu_op AS d
  CROSS JOIN set_window
  WHERE d.kind <> 'sync'
),
linked AS MATERIALIZED (
  SELECT d.trace_id, d.device_id, d.track_id, d.stream, k.from_id
  FROM inside AS d
  JOIN whole_link AS k ON k.to_id = d.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
),
launched AS (
  SELECT d.trace_id, d.device_id, d.track_id, d.stream, count(*) AS n_ops
  FROM linked AS d
  SEMI JOIN whole_launch AS l ON l.slice_id = d.from_id
  GROUP BY d.trace_id, d.device_id, d.track_id, d.stream
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.track_id,
  a.stream,
  CASE WHEN EXISTS (SELECT 1 FROM set_window) THEN coalesce(l.n_ops, 0) ELSE a.n_ops END AS n_ops,
  a.span_ns,
  a.queue_area / nullif(a.span_ns, 0) AS mean_queue_length,
  a.max_queue_length,
  (a.max_queue_length * 18446744073709551616 - a.greatest_queue)::BIGINT AS max_start_ns,
  a.outstanding_area / nullif(a.span_ns, 0) AS mean_outstanding,
  a.max_outstanding,
  a.empty_ns,
  a.empty_ns / nullif(a.span_ns, 0) AS empty_share,
  a.full_ns,
  a.full_ns / nullif(a.span_ns, 0) AS full_share
FROM summed AS a
LEFT JOIN launched AS l
  ON l.trace_id = a.trace_id
  AND l.device_id IS NOT DISTINCT FROM a.device_id
  AND l.track_id = a.track_id
  AND l.stream IS NOT DISTINCT FROM a.stream
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream, a.track_id
