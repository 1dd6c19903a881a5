/* ---
name = "cuda_operation"
version = 1
title = "Calls and device work under the names reports of nsys give them"
help = """
Kernels by their full name, copies by direction, memsets; runtime and driver calls. Lengths below 0
count 0 ns.
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
name = "category"
type = "VARCHAR"
unit = "text"
check = "IN ('CUDA_KERNEL', 'MEMORY_OPER', 'CUDA_API')"
help = "CUDA_KERNEL, MEMORY_OPER or CUDA_API"

[[column]]
name = "operation"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the kernel or function; of copies the direction, as [CUDA memcpy Host-to-Device], and [CUDA memset]"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Moved or set; of kernels NULL"

[changes]
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
      ELSE coalesce(direction, '?')
    END, ']')
  END AS operation,
  greatest(dur, 0) AS dur_ns,
  bytes
FROM gpu_op
WHERE kind <> 'sync'
UNION ALL
SELECT slice_id, trace_id, 'CUDA_API', name, greatest(dur, 0), NULL
FROM launch
