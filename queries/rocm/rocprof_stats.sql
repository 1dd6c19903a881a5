/* ---
name = "rocprof_stats"
version = 1
title = "What rocprofv3 --stats writes: calls, kernels, copies, markers by name, within each domain"
help = """
The domains are rocprofv3's: KERNEL_DISPATCH, MEMORY_COPY, HIP_API, HSA_API, MARKER_API, RCCL_API,
MEMORY_ALLOCATION, SCRATCH_MEMORY; other slices are left out. A duration that is negative, also of
what never ended, counts 0 ns. rocprof's Percentage is 100 times share.
"""
grain = ["trace_id", "domain", "name"]

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
name = "domain"
type = "VARCHAR"
unit = "text"
help = "Kind of record, as rocprofv3 calls it"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Function, kernel, direction or message"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations"

[[column]]
name = "mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean"

[[column]]
name = "share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "total_ns of that of the domain in the trace; NULL when that is 0"

[[column]]
name = "min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Shortest"

[[column]]
name = "max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Longest"

[[column]]
name = "stddev_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Standard deviation of the sample (n - 1); 0 for a single one"

[changes]
1 = "first version"
--- */
WITH record AS (
  SELECT
    trace_id,
    CASE category
      WHEN 'kernel' THEN 'KERNEL_DISPATCH'
      WHEN 'gpu_memcpy' THEN 'MEMORY_COPY'
      WHEN 'hip_runtime' THEN 'HIP_API'
      WHEN 'hsa_driver' THEN 'HSA_API'
      WHEN 'user_annotation' THEN 'MARKER_API'
      WHEN 'rccl_api' THEN 'RCCL_API'
      WHEN 'memory' THEN 'MEMORY_ALLOCATION'
      WHEN 'scratch_memory' THEN 'SCRATCH_MEMORY'
    END AS domain,
    name,
    greatest(dur, 0) AS dur
  FROM slice
  WHERE category IN (
    'kernel', 'gpu_memcpy', 'hip_runtime', 'hsa_driver', 'user_annotation', 'rccl_api', 'memory',
    'scratch_memory'
  )
),
by_name AS (
  SELECT
    trace_id,
    domain,
    name,
    count(*) AS n_calls,
    sum(dur)::BIGINT AS total_ns,
    min(dur) AS min_ns,
    max(dur) AS max_ns,
    coalesce(stddev_samp(dur), 0) AS stddev_ns
  FROM record
  GROUP BY trace_id, domain, name
)
SELECT
  t.run_id,
  b.trace_id,
  t.rank,
  b.domain,
  b.name,
  b.n_calls,
  b.total_ns,
  b.total_ns / b.n_calls AS mean_ns,
  b.total_ns / nullif(sum(b.total_ns) OVER (PARTITION BY b.trace_id, b.domain), 0) AS share,
  b.min_ns,
  b.max_ns,
  b.stddev_ns
FROM by_name AS b
JOIN trace AS t ON t.id = b.trace_id
ORDER BY t.run_id, t.rank, b.trace_id, b.domain, b.total_ns DESC, b.name
