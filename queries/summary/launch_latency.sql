/* ---
name = "launch_latency"
version = 1
title = "Each launching call and how long its device work took to start"
help = """
latency_ns counts from the start of the call, delay_ns from its return; a negative delay is work that
began before the call returned, a negative latency is clocks of host and device that disagree. A call
is launch-bound when it took longer than all it caused: the device could have done more in that time.
Rows come by delay, longest first.
"""
grain = ["trace_id", "call_id"]
requires = { schema = ">=1", queries = ["launching_call@1"] }

[param.top]
type = "BIGINT"
unit = "count"
default = 1000
nullable = true
min = 1
help = "Only so many calls of each trace; null: all"

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
name = "call_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The call"

[[column]]
name = "call"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "op_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The first operation it caused"

[[column]]
name = "op"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The operation's name"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
check = "IN ('kernel', 'memcpy', 'memset')"
help = "What the first operation is"

[[column]]
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Operations it caused; a graph launch causes many"

[[column]]
name = "call_start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the call, on the scale of slice.ts"

[[column]]
name = "call_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Duration of the call"

[[column]]
name = "latency_ns"
type = "BIGINT"
unit = "ns"
help = "From the start of the call to the start of the first operation"

[[column]]
name = "delay_ns"
type = "BIGINT"
unit = "ns"
help = "From the end of the call to the start of the first operation"

[[column]]
name = "device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of the operations"

[[column]]
name = "is_launch_bound"
type = "BOOLEAN"
unit = "bool"
help = "device_ns < call_ns"

[changes]
1 = "first version"
--- */
WITH placed AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY trace_id
      ORDER BY first_start_ns - call_end_ns DESC, call_start_ns, call_id
    ) AS place
  FROM launching_call($top::BIGINT)
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.stream,
  a.call_id,
  a.name AS call,
  a.first_op_id AS op_id,
  g.name AS op,
  a.kind,
  a.n_ops,
  a.call_start_ns,
  a.call_end_ns - a.call_start_ns AS call_ns,
  a.first_start_ns - a.call_start_ns AS latency_ns,
  a.first_start_ns - a.call_end_ns AS delay_ns,
  a.device_ns,
  a.device_ns < a.call_end_ns - a.call_start_ns AS is_launch_bound
FROM placed AS a
JOIN gpu_op AS g ON g.slice_id = a.first_op_id
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
WHERE $top::BIGINT IS NULL OR a.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, a.trace_id, delay_ns DESC, a.call_start_ns, a.call_id
