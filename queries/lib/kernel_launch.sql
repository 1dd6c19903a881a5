/* ---
name = "kernel_launch"
version = 1
title = "Every kernel with the call that launched it, and the time between"
help = """
By the links of kind launch. A kernel that starts before its call returns waited in no queue.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }

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
name = "pid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Process"

[[column]]
name = "tid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Thread"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "call"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The function"

[[column]]
name = "call_start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the launching call, on the scale of slice.ts"

[[column]]
name = "call_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length of the call"

[[column]]
name = "queue_start_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "End of the call; NULL where the kernel starts before it"

[[column]]
name = "queue_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "From the end of the call to the start of the kernel; NULL where that comes first"

[[column]]
name = "kernel_start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the kernel"

[[column]]
name = "kernel_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length of the kernel"

[[column]]
name = "whole_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the start of the call to the end of call and kernel"

[[column]]
name = "grid_x"
type = "BIGINT"
unit = "count"
nullable = true
help = "Blocks"

[[column]]
name = "grid_y"
type = "BIGINT"
unit = "count"
nullable = true
help = "Blocks"

[[column]]
name = "grid_z"
type = "BIGINT"
unit = "count"
nullable = true
help = "Blocks"

[[column]]
name = "block_x"
type = "BIGINT"
unit = "count"
nullable = true
help = "Threads a block"

[[column]]
name = "block_y"
type = "BIGINT"
unit = "count"
nullable = true
help = "Threads a block"

[[column]]
name = "block_z"
type = "BIGINT"
unit = "count"
nullable = true
help = "Threads a block"

[[column]]
name = "kernel"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The kernel"

[changes]
1 = "first version"
--- */
SELECT
  g.slice_id,
  g.trace_id,
  p.pid,
  h.tid,
  d.ordinal AS device,
  l.name AS call,
  l.ts AS call_start_ns,
  greatest(l.dur, 0) AS call_ns,
  CASE WHEN g.ts >= l.ts + greatest(l.dur, 0) THEN l.ts + greatest(l.dur, 0) END AS queue_start_ns,
  CASE WHEN g.ts >= l.ts + greatest(l.dur, 0) THEN g.ts - l.ts - greatest(l.dur, 0) END AS queue_ns,
  g.ts AS kernel_start_ns,
  greatest(g.dur, 0) AS kernel_ns,
  greatest(l.ts + greatest(l.dur, 0), g.ts + greatest(g.dur, 0)) - l.ts AS whole_ns,
  g.grid_x,
  g.grid_y,
  g.grid_z,
  g.block_x,
  g.block_y,
  g.block_z,
  g.name AS kernel
FROM gpu_op AS g
JOIN link AS k ON k.to_id = g.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
JOIN launch AS l ON l.slice_id = k.from_id
LEFT JOIN device AS d ON d.id = g.device_id
LEFT JOIN track AS r ON r.id = l.track_id
LEFT JOIN thread AS h ON h.id = r.thread_id
LEFT JOIN process AS p ON p.id = h.process_id
WHERE g.kind = 'kernel'
