/* ---
name = "launch_latency"
version = 1
title = "Latency from each launching call to the start of its device work"
help = """
latency_ns counts from the start of the call, delay_ns from its return. A negative delay is work
that began before the call returned; a negative latency means that the clocks of host and device
disagree. A call is launch-bound if it took longer than all work it caused. Longest delay first. A
time window contains the calls that run in it or whose work does, whole.
"""
grain = ["trace_id", "call_id"]
requires = { schema = ">=1", queries = ["launching_call@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "stream", "call_id", "call", "op_id", "op",
  "kind", "n_ops", "call_start_ns", "call_ns", "latency_ns", "delay_ns", "device_ns",
  "is_launch_bound",
]

[param.top]
type = "BIGINT"
unit = "count"
default = 1000
nullable = true
min = 1
help = "Maximum number of calls per trace; null: all"

[column]
call.help = "Name of the call"
op_id = { type = "BIGINT", unit = "ref slice.id", help = "First operation caused by the call" }
op = { type = "VARCHAR", unit = "text", nullable = true, help = "Name of the operation" }
n_ops.help = "Number of operations caused by the call; several for a graph launch"
call_start_ns.help = "Start of the call, on the time axis of slice.ts"
delay_ns = { type = "BIGINT", unit = "ns", help = "Time from the end of the call to the start of the first operation" }
device_ns.help = "Sum of the durations of the operations"
is_launch_bound = { type = "BOOLEAN", unit = "bool", help = "device_ns < call_ns" }

[column.kind]
type = "VARCHAR"
unit = "text"
check = "IN ('kernel', 'memcpy', 'memset')"
help = "Kind of the first operation"

[column.latency_ns]
type = "BIGINT"
unit = "ns"
help = "Time from the start of the call to the start of the first operation"

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
  --+ , a.n_without_top
FROM placed AS a
JOIN whole_gpu_op AS g ON g.slice_id = a.first_op_id
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
WHERE $top::BIGINT IS NULL OR a.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, a.trace_id, delay_ns DESC, a.call_start_ns, a.call_id
