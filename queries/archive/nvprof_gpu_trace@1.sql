/* ---
name = "nvprof_gpu_trace"
version = 1
title = "What nvprof --print-gpu-trace prints: work on devices one by one, with sizes and throughput"
help = """
Kernels, copies and memsets in the order they started; waits are left out. The parts of shared memory
and the kinds of memory are there where the source says them (nvprof). nvprof's MB/s are MiB/s.
"""
grain = ["slice_id"]

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
help = "The work"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, counted from that of the trace's first work"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Duration; 0 where it is negative or the work never ended"

[[column]]
name = "grid_x"
type = "BIGINT"
unit = "count"
nullable = true
help = "Blocks in x; NULL for copies and memsets"

[[column]]
name = "grid_y"
type = "BIGINT"
unit = "count"
nullable = true
help = "Blocks in y; NULL for copies and memsets"

[[column]]
name = "grid_z"
type = "BIGINT"
unit = "count"
nullable = true
help = "Blocks in z; NULL for copies and memsets"

[[column]]
name = "block_x"
type = "BIGINT"
unit = "count"
nullable = true
help = "Threads a block in x; NULL for copies and memsets"

[[column]]
name = "block_y"
type = "BIGINT"
unit = "count"
nullable = true
help = "Threads a block in y; NULL for copies and memsets"

[[column]]
name = "block_z"
type = "BIGINT"
unit = "count"
nullable = true
help = "Threads a block in z; NULL for copies and memsets"

[[column]]
name = "registers_per_thread"
type = "BIGINT"
unit = "count"
nullable = true
help = "Registers"

[[column]]
name = "static_shared_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Shared memory a block, as compiled"

[[column]]
name = "dynamic_shared_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Shared memory a block, as launched"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Copied or set"

[[column]]
name = "mib_per_s"
type = "DOUBLE"
unit = "MiB/s"
nullable = true
help = "bytes of 2^20 in a second; NULL without bytes or without a duration"

[[column]]
name = "source_memory"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Kind of memory a copy reads: Pageable, Pinned, Device, ..."

[[column]]
name = "destination_memory"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Kind of memory a copy writes"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number"

[[column]]
name = "context"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Device context"

[[column]]
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "Stream or queue, as the source counts"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Kernel, or kind of copy"

[[column]]
name = "correlation_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Shared with the call that caused it"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  g.trace_id,
  t.rank,
  g.slice_id,
  g.ts - min(g.ts) OVER (PARTITION BY g.trace_id) AS start_ns,
  greatest(g.dur, 0) AS dur_ns,
  g.grid_x,
  g.grid_y,
  g.grid_z,
  g.block_x,
  g.block_y,
  g.block_z,
  g.registers_per_thread,
  TRY_CAST(json_extract_string(s.args_json, '$.static_shared_memory') AS BIGINT)
    AS static_shared_bytes,
  TRY_CAST(json_extract_string(s.args_json, '$.dynamic_shared_memory') AS BIGINT)
    AS dynamic_shared_bytes,
  g.bytes,
  CASE WHEN g.dur > 0 THEN g.bytes / (g.dur / 1e9) / 1048576 END AS mib_per_s,
  json_extract_string(s.args_json, '$.src_memory') AS source_memory,
  json_extract_string(s.args_json, '$.dst_memory') AS destination_memory,
  d.ordinal AS device,
  g.context_id AS context,
  g.stream,
  g.name,
  g.correlation_id
FROM gpu_op AS g
JOIN slice AS s ON s.id = g.slice_id
JOIN trace AS t ON t.id = g.trace_id
LEFT JOIN device AS d ON d.id = g.device_id
WHERE g.kind <> 'sync'
ORDER BY t.run_id, t.rank, g.trace_id, start_ns, g.slice_id
