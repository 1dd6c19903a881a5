/* ---
name = "whole_device_op"
version = 1
title = "Device work as intervals, inside and outside of the time window"
help = """
As device_op, for the whole traces in scope: gaps, queues and steps depend on work outside of a time
window.
"""
grain = ["slice_id"]
scale = "trace"
columns = [
  "slice_id", "trace_id", "device_id", "track_id", "stream", "class", "start_ns", "end_ns",
]

[column]
device_id.help = "Device; NULL: not recorded"
track_id.help = "Track of the stream"
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End, on the time axis of slice.ts; not before the start"

[column.class]
type = "VARCHAR"
unit = "text"
check = "IN ('compute', 'communication', 'memory')"
help = "compute, communication or memory"

[changes]
1 = "first version"
--- */
SELECT
  slice_id,
  trace_id,
  device_id,
  track_id,
  stream,
  class,
  ts AS start_ns,
  ts + greatest(dur, 0) AS end_ns
FROM whole_gpu_op
WHERE kind <> 'sync'
