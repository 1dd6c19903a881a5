/* ---
name = "cuda_gpu_trace"
version = 2
title = "Kernels, copies and memsets in order of start"
help = """
The report cuda_gpu_trace of `nsys stats` has the same rows; its throughput is bytes times whole
operations per second, rounded down, which is slightly less than bytes_per_s. Waits are excluded,
and so are graphs recorded as a whole.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "slice_id", "start_ns", "dur_ns", "correlation_id", "grid_x",
  "grid_y", "grid_z", "block_x", "block_y", "block_z", "registers_per_thread",
  "static_shared_memory_bytes", "dynamic_shared_memory_bytes", "bytes", "bytes_per_s",
  "source_memory_kind", "destination_memory_kind", "device", "device_name", "context_id",
  "green_context_id", "stream", "operation",
]

[column]
start_ns.help = "Start, on the time axis of slice.ts"
dur_ns.help = "Duration"
bytes.help = "Bytes moved or set; NULL for kernels"
bytes_per_s = { type = "DOUBLE", unit = "byte/s", nullable = true, help = "bytes / dur_ns; NULL if dur_ns is 0" }
source_memory_kind.help = "Kind of memory read or set"
device_name.help = "Device name"
context_id = { type = "BIGINT", unit = "source id", nullable = true, help = "Device context" }
green_context_id = { type = "BIGINT", unit = "source id", nullable = true, help = "Green context" }

[column.static_shared_memory_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
help = "Static shared memory per block"

[column.dynamic_shared_memory_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
help = "Dynamic shared memory per block"

[changes]
2 = "graphs recorded as a whole are excluded; copies of unknown direction are named as in nsys"
1 = "first version"
--- */
SELECT
  t.run_id,
  g.trace_id,
  t.rank,
  g.slice_id,
  g.ts AS start_ns,
  greatest(g.dur, 0) AS dur_ns,
  -- As recorded: ids of all processes but the first are stored shifted by multiples of 2^40.
  CASE WHEN g.correlation_id >= 0 THEN g.correlation_id % 1099511627776 ELSE g.correlation_id END
    AS correlation_id,
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
      ELSE coalesce(direction, 'Unknown')
    END, ']')
  END AS operation
FROM gpu_op AS g
JOIN trace AS t ON t.id = g.trace_id
LEFT JOIN device AS d ON d.id = g.device_id
WHERE g.kind <> 'sync'
  AND (g.kind <> 'kernel' OR g.graph_id IS NULL OR g.grid_x IS NOT NULL)
ORDER BY t.run_id, t.rank, g.trace_id, g.ts, g.slice_id
