/* ---
name = "cuda_gpu_mem_size_sum"
version = 1
title = "Copies and memsets by direction: how much"
help = """
Operations whose size the source does not say are left out.
The report cuda_gpu_mem_size_sum of `nsys stats` has the same figures.
"""
grain = ["trace_id", "operation"]
portable = false
requires = { schema = ">=13", queries = ["cuda_operation@1"] }

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
name = "total_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Sum of the sizes"

[[column]]
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How many operations"

[[column]]
name = "mean_bytes"
type = "DOUBLE"
unit = "byte"
check = ">= 0"
help = "Mean size"

[[column]]
name = "median_bytes"
type = "DOUBLE"
unit = "byte"
check = ">= 0"
help = "Median size"

[[column]]
name = "min_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Smallest"

[[column]]
name = "max_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Largest"

[[column]]
name = "stddev_bytes"
type = "DOUBLE"
unit = "byte"
check = ">= 0"
help = "Standard deviation of the sample of sizes; 0 for a single one"

[[column]]
name = "q1_bytes"
type = "DOUBLE"
unit = "byte"
check = ">= 0"
help = "First quartile of the sizes"

[[column]]
name = "q3_bytes"
type = "DOUBLE"
unit = "byte"
check = ">= 0"
help = "Third quartile of the sizes"

[[column]]
name = "operation"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the kernel or function; of copies the direction, as [CUDA memcpy Host-to-Device], and [CUDA memset]"

[changes]
1 = "first version"
--- */
WITH summed AS (
  SELECT
    trace_id,
    operation,
    count(*) AS n_ops,
    sum(bytes)::BIGINT AS total_bytes,
    min(bytes) AS min_bytes,
    max(bytes) AS max_bytes,
    coalesce(stddev_samp(bytes), 0) AS stddev_bytes,
    -- from below and from above: where a quantile falls between two values, these are both
    quantile_disc(bytes, [0.25, 0.5, 0.75]) AS lower,
    quantile_disc(-bytes, [0.75, 0.5, 0.25]) AS upper
  FROM cuda_operation()
  WHERE category = 'MEMORY_OPER'
    AND bytes IS NOT NULL
  GROUP BY trace_id, operation
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.total_bytes,
  s.n_ops,
  s.total_bytes / s.n_ops AS mean_bytes,
  (s.lower[2] - s.upper[2]) / 2 AS median_bytes,
  s.min_bytes,
  s.max_bytes,
  s.stddev_bytes,
  (s.lower[1] - s.upper[1]) / 2 AS q1_bytes,
  (s.lower[3] - s.upper[3]) / 2 AS q3_bytes,
  s.operation
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.total_bytes DESC, s.operation
