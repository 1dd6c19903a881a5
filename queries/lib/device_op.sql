/* ---
name = "device_op"
version = 1
title = "Device work as intervals"
help = """
Kernels, copies and memsets; waits are not work. An operation of negative duration, including
unfinished ones (dur -1), is an empty interval at its start.
"""
grain = ["slice_id"]
columns = ["slice_id", "trace_id", "device_id", "stream", "class", "start_ns", "end_ns"]

[column]
device_id.help = "Device; NULL: not recorded"
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
  stream,
  class,
  ts AS start_ns,
  ts + greatest(dur, 0) AS end_ns
FROM gpu_op
WHERE kind <> 'sync'
