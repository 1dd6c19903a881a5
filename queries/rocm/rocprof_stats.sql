/* ---
name = "rocprof_stats"
version = 1
title = "Calls, kernels, copies and markers by domain and name, as written by rocprofv3 --stats"
help = """
Domains are those of rocprofv3: KERNEL_DISPATCH, MEMORY_COPY, HIP_API, HSA_API, MARKER_API,
RCCL_API, MEMORY_ALLOCATION, SCRATCH_MEMORY; other slices are excluded. Negative durations,
including unfinished ones, count as 0 ns. rocprof's Percentage is 100 times share. In a time window,
sums are of the parts of the durations inside it, so disjoint windows add up to the whole; other
statistics are of whole durations.
"""
grain = ["trace_id", "domain", "name"]
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "domain", "name", "n_calls", "total_ns", "mean_ns", "share",
  "min_ns", "max_ns", "stddev_ns",
]

[column]
domain = { type = "VARCHAR", unit = "text", help = "Domain of rocprofv3" }
name.help = "Function, kernel, direction or message"
n_calls.help = "Number of slices"
share.help = "Share of the total time of the domain in the trace; NULL if that is 0"

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
    greatest(dur, 0) AS dur,
    greatest(least(ts + dur, w.to_ns) - greatest(ts, w.from_ns), 0) AS inside_ns
  FROM slice
  CROSS JOIN time_window AS w
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
    sum(inside_ns)::BIGINT AS total_ns,
    sum(dur)::BIGINT AS all_ns,
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
  b.all_ns / b.n_calls AS mean_ns,
  b.total_ns / nullif(sum(b.total_ns) OVER (PARTITION BY b.trace_id, b.domain), 0) AS share,
  b.min_ns,
  b.max_ns,
  b.stddev_ns
FROM by_name AS b
JOIN trace AS t ON t.id = b.trace_id
ORDER BY t.run_id, t.rank, b.trace_id, b.domain, b.total_ns DESC, b.name
