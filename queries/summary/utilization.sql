/* ---
name = "utilization"
version = 1
title = "Busy share of each device"
help = """
Of the time from the start of the first operation of a device to the end of its last, the part in
which any kernel, copy or memset runs. Operations that overlap count once; waits are no work. A
device without work has no row.
"""
grain = ["trace_id", "device_id"]
requires = { schema = ">=1", queries = ["device_activity@1"] }

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
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels, copies and memsets"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the first operation, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End of the last operation, on the scale of slice.ts"

[[column]]
name = "span_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the start of the device's first operation to the end of its last"

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
nullable = true
check = "BETWEEN 0 AND 1"
help = "busy_ns / span_ns; NULL for an empty span"

[[column]]
name = "compute_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A compute kernel runs"

[[column]]
name = "communication_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A communication kernel runs"

[[column]]
name = "memory_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A copy or a memset runs"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.n_ops,
  a.start_ns,
  a.end_ns,
  a.end_ns - a.start_ns AS span_ns,
  a.busy_ns,
  a.busy_ns / nullif(a.end_ns - a.start_ns, 0) AS utilization,
  a.compute_ns,
  a.communication_ns,
  a.memory_ns
FROM device_activity() AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id
