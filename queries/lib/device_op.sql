/* ---
name = "device_op"
version = 1
title = "Work on devices as intervals"
help = """
Kernels, copies and memsets; waits are no work. An operation of negative length, also one that never
ended (dur -1), is an empty interval at its start.
"""
grain = ["slice_id"]

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The slice"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "Where it ran; NULL: the source does not say"

[[column]]
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "Stream or queue, as the source counts"

[[column]]
name = "class"
type = "VARCHAR"
unit = "text"
check = "IN ('compute', 'communication', 'memory')"
help = "compute, communication or memory"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End, on the scale of slice.ts; not before the start"

[changes]
1 = "first version"
--- */
SELECT
  slice_id,
  trace_id,
  device_id,
  stream,
  class,
  ts AS start_ns,
  ts + greatest(dur, 0) AS end_ns
FROM gpu_op
WHERE kind <> 'sync'
