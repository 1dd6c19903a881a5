/* ---
name = "queue_length_summary"
version = 1
title = "How long the queues of launched work were on each stream"
help = """
Work counts as queued from the start of the call that launched it until it starts, and as outstanding
until it ends. What begins before its own call (clocks that disagree) is queued for no time, and so
is work without a known call, which does not count at all. All work of a graph launch is queued at
once.

Means and shares are over time, from the first launch of the stream to the end of its last operation;
each length counts for as long as it lasts. Holistic Trace Analysis takes each change of length once,
however short it holds.
"""
grain = ["trace_id", "device_id", "stream"]
requires = { schema = ">=1", queries = ["device_op@1", "queue_step@1"] }

[param.full_length]
type = "BIGINT"
unit = "count"
default = 1024
min = 1
help = "How many queued operations make a queue full"

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
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Operations with a known call"

[[column]]
name = "span_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the first launch to the end of the last operation"

[[column]]
name = "mean_queue_length"
type = "DOUBLE"
unit = "count"
nullable = true
check = ">= 0"
help = "Mean over time of what was launched and not started; NULL for an empty span"

[[column]]
name = "max_queue_length"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Greatest number of operations launched and not started"

[[column]]
name = "max_start_ns"
type = "BIGINT"
unit = "ns"
help = "When that was reached first, on the scale of slice.ts"

[[column]]
name = "mean_outstanding"
type = "DOUBLE"
unit = "count"
nullable = true
check = ">= 0"
help = "Mean over time of what was launched and not ended; NULL for an empty span"

[[column]]
name = "max_outstanding"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Greatest number of operations launched and not ended"

[[column]]
name = "empty_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Time in which nothing was queued"

[[column]]
name = "empty_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "empty_ns / span_ns"

[[column]]
name = "full_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Time in which at least full_length operations were queued: launching blocks the host then"

[[column]]
name = "full_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "full_ns / span_ns"

[changes]
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
    stream,
    sum(held_ns)::BIGINT AS span_ns,
    sum(held_ns * queue_length)::DOUBLE AS queue_area,
    max(queue_length) AS max_queue_length,
    -- Of the times of the greatest length, the first: lengths differ by more than all times do.
    max(queue_length * 18446744073709551616 - ts_ns) AS greatest_queue,
    sum(held_ns * n_outstanding)::DOUBLE AS outstanding_area,
    max(n_outstanding) AS max_outstanding,
    sum(CASE WHEN queue_length = 0 THEN held_ns ELSE 0 END)::BIGINT AS empty_ns,
    sum(CASE WHEN queue_length >= $full_length::BIGINT THEN held_ns ELSE 0 END)::BIGINT AS full_ns
  FROM held
  GROUP BY trace_id, device_id, stream
),
launched AS (
  SELECT d.trace_id, d.device_id, d.stream, count(*) AS n_ops
  FROM device_op() AS d
  JOIN link AS k ON k.to_id = d.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
  SEMI JOIN launch AS l ON l.slice_id = k.from_id
  GROUP BY d.trace_id, d.device_id, d.stream
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.stream,
  l.n_ops,
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
JOIN launched AS l
  ON l.trace_id = a.trace_id
  AND l.device_id IS NOT DISTINCT FROM a.device_id
  AND l.stream IS NOT DISTINCT FROM a.stream
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream
