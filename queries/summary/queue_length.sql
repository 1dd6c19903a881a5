/* ---
name = "queue_length"
version = 1
title = "How much launched work waits on each stream, at each change"
help = """
Work counts as queued from the start of the call that launched it until it starts, and as outstanding
until it ends. What begins before its own call (clocks that disagree) is queued for no time, and so
is work without a known call, which does not count at all. All work of a graph launch is queued at
once.

A value holds until the next row of its stream. Of a long recording there are many rows: take
queue_length_over_time, or a window of time.
"""
grain = ["trace_id", "device_id", "stream", "start_ns"]
requires = { schema = ">=1", queries = ["queue_step@1"] }

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
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "When it changes, on the scale of slice.ts"

[[column]]
name = "queue_length"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Operations launched and not started, from now on"

[[column]]
name = "n_outstanding"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Operations launched and not ended, from now on"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.stream,
  a.ts_ns AS start_ns,
  a.queue_length,
  a.n_outstanding
FROM queue_step() AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream, a.ts_ns
