/* ---
name = "cuda_kern_exec_trace"
version = 1
title = "Kernels with call, queue and execution times"
help = """
The report cuda_kern_exec_trace of `nsys stats` has the same rows, except where calls were recorded
a second time with their backtrace: nsys lists every kernel twice there.
"""
grain = ["slice_id"]
requires = { schema = ">=13", queries = ["kernel_launch@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "slice_id", "call_start_ns", "call_ns", "queue_start_ns",
  "queue_ns", "kernel_start_ns", "kernel_ns", "whole_ns", "pid", "tid", "device", "call", "grid_x",
  "grid_y", "grid_z", "block_x", "block_y", "block_z", "kernel",
]

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
