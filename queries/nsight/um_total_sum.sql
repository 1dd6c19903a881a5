/* ---
name = "um_total_sum"
version = 1
title = "Managed memory migrations and page faults"
help = """
One row per trace with a timeline, even without migrations. The report um_total_sum of `nsys stats`
has the same figures. A time window contains the copies that run in it, whole.
"""
grain = ["trace_id"]
requires = { schema = ">=13" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "host_to_device_bytes", "device_to_host_bytes", "n_cpu_page_faults",
  "n_gpu_page_faults", "min_virtual_address", "max_virtual_address",
]

[column]
n_cpu_page_faults = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of page faults on the host" }
min_virtual_address = { type = "UBIGINT", unit = "address", nullable = true, help = "Lowest migrated address" }
max_virtual_address = { type = "UBIGINT", unit = "address", nullable = true, help = "Highest migrated address" }

[column.host_to_device_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
help = "Bytes migrated to devices; NULL: none"

[column.device_to_host_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
help = "Bytes migrated to the host; NULL: none"

[column.n_gpu_page_faults]
type = "BIGINT"
unit = "count"
nullable = true
help = "Number of page faults on devices; NULL: not recorded"

[changes]
1 = "first version"
--- */
WITH copied AS (
  SELECT
    trace_id,
    sum(bytes) FILTER (WHERE direction = 'HtoD')::BIGINT AS host_to_device_bytes,
    sum(bytes) FILTER (WHERE direction = 'DtoH')::BIGINT AS device_to_host_bytes,
    min(virtual_address) AS min_virtual_address,
    max(virtual_address) AS max_virtual_address
  FROM gpu_op
  WHERE is_unified
  GROUP BY trace_id
),
fault AS (
  SELECT
    trace_id,
    count(*) FILTER (WHERE category = 'um_cpu_page_fault') AS n_cpu_page_faults,
    sum(TRY_CAST(args_json ->> '$.numberOfPageFaults' AS BIGINT))
      FILTER (WHERE category = 'um_gpu_page_fault')::BIGINT AS n_gpu_page_faults
  FROM slice
  WHERE category IN ('um_cpu_page_fault', 'um_gpu_page_fault')
  GROUP BY trace_id
)
SELECT
  t.run_id,
  t.id AS trace_id,
  t.rank,
  c.host_to_device_bytes,
  c.device_to_host_bytes,
  coalesce(f.n_cpu_page_faults, 0) AS n_cpu_page_faults,
  f.n_gpu_page_faults,
  c.min_virtual_address,
  c.max_virtual_address
FROM trace AS t
LEFT JOIN copied AS c ON c.trace_id = t.id
LEFT JOIN fault AS f ON f.trace_id = t.id
WHERE t.kind = 'timeline'
ORDER BY t.run_id, t.rank, t.id
