/* ---
name = "cuda_operation"
version = 3
title = "Calls and device work under the operation names of nsys reports"
help = """
Kernels by full name, copies by direction, memsets, and runtime and driver calls. Graphs recorded as
a whole (without a grid) are excluded, as in these reports. Negative durations, including those of
unfinished slices, count as 0 ns.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }
scale = "trace"
columns = ["slice_id", "trace_id", "category", "operation", "dur_ns", "inside_ns", "bytes"]

[column]
dur_ns.help = "Duration"
bytes.help = "Bytes moved or set; NULL for kernels"

[column.category]
type = "VARCHAR"
unit = "text"
check = "IN ('CUDA_KERNEL', 'MEMORY_OPER', 'CUDA_API')"
help = "CUDA_KERNEL, MEMORY_OPER or CUDA_API"

[changes]
3 = "unknown kinds of copies are called Unknown"
2 = "new column inside_ns: the part of the duration inside the time window"
1 = "first version"
--- */
SELECT
  slice_id,
  trace_id,
  CASE kind WHEN 'kernel' THEN 'CUDA_KERNEL' ELSE 'MEMORY_OPER' END AS category,
  CASE
    WHEN kind = 'kernel' THEN name
    WHEN kind = 'memset' THEN '[CUDA memset]'
    ELSE concat('[CUDA memcpy ', CASE WHEN is_unified THEN 'Unified ' END, CASE
      WHEN direction LIKE '_to_' THEN replace(replace(replace(replace(
        replace(direction, 'to', '-to-'), 'D', 'Device'), 'A', 'Array'), 'P', 'Peer'), 'H', 'Host')
      ELSE coalesce(direction, 'Unknown')
    END, ']')
  END AS operation,
  greatest(dur, 0) AS dur_ns,
  greatest(least(ts + dur, w.to_ns) - greatest(ts, w.from_ns), 0) AS inside_ns,
  bytes
FROM gpu_op
CROSS JOIN time_window AS w
WHERE kind <> 'sync'
  AND (kind <> 'kernel' OR graph_id IS NULL OR grid_x IS NOT NULL)
UNION ALL
SELECT
  slice_id,
  trace_id,
  'CUDA_API',
  name,
  greatest(dur, 0),
  greatest(least(ts + dur, w.to_ns) - greatest(ts, w.from_ns), 0),
  NULL
FROM launch
CROSS JOIN time_window AS w
