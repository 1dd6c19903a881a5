/* ---
name = "cuda_gpu_mem_size_sum"
version = 1
title = "Sizes of copies and memsets by direction"
help = """
Operations without a recorded size are excluded. The report cuda_gpu_mem_size_sum of `nsys stats`
has the same figures. A time window contains the operations that run in it, with all their bytes.
"""
grain = ["trace_id", "operation"]
requires = { schema = ">=13", queries = ["cuda_operation@3"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "total_bytes", "n_ops", "mean_bytes", "median_bytes", "min_bytes",
  "max_bytes", "stddev_bytes", "q1_bytes", "q3_bytes", "operation",
]

[column]
total_bytes.help = "Sum of the sizes"
n_ops.help = "Number of operations"
mean_bytes = { type = "DOUBLE", unit = "byte", check = ">= 0", help = "Mean size" }
median_bytes = { type = "DOUBLE", unit = "byte", check = ">= 0", help = "Median size" }
min_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Smallest" }
max_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Largest" }
q1_bytes = { type = "DOUBLE", unit = "byte", check = ">= 0", help = "First quartile of the sizes" }
q3_bytes = { type = "DOUBLE", unit = "byte", check = ">= 0", help = "Third quartile of the sizes" }

[column.stddev_bytes]
type = "DOUBLE"
unit = "byte"
check = ">= 0"
help = "Sample standard deviation of the sizes; 0 for a single one"

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
    -- Quantiles from below and above; both values around a quantile that lies between two.
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
