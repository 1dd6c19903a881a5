/* ---
name = "cuda_gpu_trace"
version = 1
title = "Every kernel, copy and memset"
help = """
The report cuda_gpu_trace of `nsys stats` has the same rows; its throughput is bytes times whole
operations a second, rounded down, which is a little less than bytes_per_s. Waits are left out.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }

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
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length"

[[column]]
name = "correlation_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Shared by a call and the work it caused"

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
name = "registers_per_thread"
type = "BIGINT"
unit = "count"
nullable = true
help = "Registers"

[[column]]
name = "static_shared_memory_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Shared memory a block, fixed when it was compiled"

[[column]]
name = "dynamic_shared_memory_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Shared memory a block, asked for at the launch"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Moved or set; of kernels NULL"

[[column]]
name = "bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
help = "bytes by dur_ns; NULL where it took no time"

[[column]]
name = "source_memory_kind"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Memory that is read, or set"

[[column]]
name = "destination_memory_kind"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Memory that is written"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "device_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The device"

[[column]]
name = "context_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Context"

[[column]]
name = "green_context_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Green context"

[[column]]
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "Stream, as the source counts"

[[column]]
name = "operation"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the kernel or function; of copies the direction, as [CUDA memcpy Host-to-Device], and [CUDA memset]"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  g.trace_id,
  t.rank,
  g.slice_id,
  g.ts AS start_ns,
  greatest(g.dur, 0) AS dur_ns,
  g.correlation_id,
  g.grid_x,
  g.grid_y,
  g.grid_z,
  g.block_x,
  g.block_y,
  g.block_z,
  g.registers_per_thread,
  g.static_shared_memory_bytes,
  g.dynamic_shared_memory_bytes,
  g.bytes,
  g.bytes * 1e9 / nullif(greatest(g.dur, 0), 0) AS bytes_per_s,
  g.source_memory_kind,
  g.destination_memory_kind,
  d.ordinal AS device,
  d.name AS device_name,
  g.context_id,
  g.green_context_id,
  g.stream,
  CASE
    WHEN g.kind = 'kernel' THEN g.name
    WHEN g.kind = 'memset' THEN '[CUDA memset]'
    ELSE concat('[CUDA memcpy ', CASE WHEN g.is_unified THEN 'Unified ' END, CASE
      WHEN direction LIKE '_to_' THEN replace(replace(replace(replace(
        replace(direction, 'to', '-to-'), 'D', 'Device'), 'A', 'Array'), 'P', 'Peer'), 'H', 'Host')
      ELSE coalesce(direction, '?')
    END, ']')
  END AS operation
FROM gpu_op AS g
JOIN trace AS t ON t.id = g.trace_id
LEFT JOIN device AS d ON d.id = g.device_id
WHERE g.kind <> 'sync'
ORDER BY t.run_id, t.rank, g.trace_id, g.ts, g.slice_id
