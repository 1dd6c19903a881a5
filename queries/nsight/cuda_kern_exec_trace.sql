/* ---
name = "cuda_kern_exec_trace"
version = 1
title = "Every kernel: its call, its time in the queue, its run"
help = """
The report cuda_kern_exec_trace of `nsys stats` has the same rows, except where calls were recorded a
second time with their backtrace: there it has every kernel twice.
"""
grain = ["slice_id"]
requires = { schema = ">=13", queries = ["kernel_launch@1"] }

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
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The slice"

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
  t.run_id,
  s.trace_id,
  t.rank,
  s.slice_id,
  s.call_start_ns,
  s.call_ns,
  s.queue_start_ns,
  s.queue_ns,
  s.kernel_start_ns,
  s.kernel_ns,
  s.whole_ns,
  s.pid,
  s.tid,
  s.device,
  s.call,
  s.grid_x,
  s.grid_y,
  s.grid_z,
  s.block_x,
  s.block_y,
  s.block_z,
  s.kernel
FROM kernel_launch() AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.call_start_ns, s.kernel_start_ns, s.slice_id
