/* ---
name = "nvprof_gpu_trace"
version = 2
title = "Device work in order of start, as printed by nvprof --print-gpu-trace"
help = """
Kernels, copies and memsets in order of start, with sizes and throughput; waits are excluded. The
parts of shared memory and the kinds of memory are present if the source records them (nvprof does).
nvprof's MB/s are MiB/s.
"""
grain = ["slice_id"]
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "slice_id", "start_ns", "dur_ns", "grid_x", "grid_y", "grid_z",
  "block_x", "block_y", "block_z", "registers_per_thread", "static_shared_bytes",
  "dynamic_shared_bytes", "bytes", "mib_per_s", "source_memory", "destination_memory", "device",
  "context", "stream", "name", "correlation_id",
]

[column]
slice_id.help = "Device work"
start_ns.help = "Start, relative to the trace's first device work"
dur_ns.help = "Duration; 0 if negative or unfinished"
grid_x.help = "Blocks per grid in x; NULL for copies and memsets"
grid_y.help = "Blocks per grid in y; NULL for copies and memsets"
grid_z.help = "Blocks per grid in z; NULL for copies and memsets"
block_x.help = "Threads per block in x; NULL for copies and memsets"
block_y.help = "Threads per block in y; NULL for copies and memsets"
block_z.help = "Threads per block in z; NULL for copies and memsets"
static_shared_bytes = { type = "BIGINT", unit = "byte", nullable = true, help = "Static shared memory per block" }
dynamic_shared_bytes = { type = "BIGINT", unit = "byte", nullable = true, help = "Dynamic shared memory per block" }
destination_memory = { type = "VARCHAR", unit = "text", nullable = true, help = "Kind of memory that a copy writes" }
context = { type = "BIGINT", unit = "source id", nullable = true, help = "Device context" }
name.help = "Kernel name, or kind of copy"
correlation_id.help = "Id shared with the call that caused it"

[column.mib_per_s]
type = "DOUBLE"
unit = "MiB/s"
nullable = true
help = "bytes / duration, in MiB/s; NULL without bytes or duration"

[column.source_memory]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Kind of memory that a copy reads: Pageable, Pinned, Device, ..."

[changes]
1 = "first version"
2 = "memory kinds of copies and shared memory of kernels for every profiler that records them, not only nvprof"
--- */
SELECT
  t.run_id,
  g.trace_id,
  t.rank,
  g.slice_id,
  g.ts - b.first_ts AS start_ns,
  greatest(g.dur, 0) AS dur_ns,
  g.grid_x,
  g.grid_y,
  g.grid_z,
  g.block_x,
  g.block_y,
  g.block_z,
  g.registers_per_thread,
  coalesce(
    g.static_shared_memory_bytes,
    TRY_CAST(json_extract_string(s.args_json, '$.static_shared_memory') AS BIGINT)
  ) AS static_shared_bytes,
  coalesce(
    g.dynamic_shared_memory_bytes,
    TRY_CAST(json_extract_string(s.args_json, '$.dynamic_shared_memory') AS BIGINT)
  ) AS dynamic_shared_bytes,
  g.bytes,
  CASE WHEN g.dur > 0 THEN g.bytes / (g.dur / 1e9) / 1048576 END AS mib_per_s,
  CASE WHEN g.kind = 'memcpy'
    THEN coalesce(g.source_memory_kind, json_extract_string(s.args_json, '$.src_memory'))
    END AS source_memory,
  coalesce(g.destination_memory_kind, json_extract_string(s.args_json, '$.dst_memory'))
    AS destination_memory,
  d.ordinal AS device,
  g.context_id AS context,
  g.stream,
  g.name,
  -- As recorded: ids of all processes but the first are stored shifted by multiples of 2^40.
  CASE WHEN g.correlation_id >= 0 THEN g.correlation_id % 1099511627776 ELSE g.correlation_id END
    AS correlation_id
FROM gpu_op AS g
JOIN (
  SELECT trace_id, min(ts) AS first_ts FROM whole_gpu_op WHERE kind <> 'sync' GROUP BY trace_id
) AS b ON b.trace_id = g.trace_id
JOIN slice AS s ON s.id = g.slice_id
JOIN trace AS t ON t.id = g.trace_id
LEFT JOIN device AS d ON d.id = g.device_id
WHERE g.kind <> 'sync'
ORDER BY t.run_id, t.rank, g.trace_id, start_ns, g.slice_id
