/* ---
name = "device_op"
version = 1
title = "Device work as intervals"
help = """
Kernels, copies and memsets; waits are not work. An operation of negative duration, including
unfinished ones (dur -1), is an empty interval at its start. In a time window an interval is the
part inside it.
"""
grain = ["slice_id"]
scale = "trace"
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
  g.slice_id,
  g.trace_id,
  g.device_id,
  g.stream,
  g.class,
  greatest(g.ts, w.from_ns) AS start_ns,
  least(greatest(g.ts + greatest(g.dur, 0), w.from_ns), w.to_ns) AS end_ns
FROM gpu_op AS g
CROSS JOIN time_window AS w
WHERE g.kind <> 'sync'
