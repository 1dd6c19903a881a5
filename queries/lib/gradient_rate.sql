/* ---
name = "gradient_rate"
version = 2
title = "How long stages of a reduction of gradients last, by size: least squares over the recorded groups"
help = """
Of each rank and stage a line over the groups, dur_ns = fixed_ns + slope_ns * size, with the least sum of
squared relative errors and no negative coefficient. The size is that of a part of sends and receives; of copies
bytes or the number of tensors, whichever fits better. A slope requires two sizes a factor of 2 apart, and
that it fits better than a constant; otherwise it is 0.
"""
grain = ["trace_id", "stage"]
requires = { schema = ">=18", queries = ["gradient_stage@2"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "stage", "size_unit", "fixed_ns", "slope_ns", "n_groups", "least_size", "most_size",
  "has_sizes", "error",
]

[column]
stage = { type = "VARCHAR", unit = "text", help = "queue, copy_in, send, receive or copy_out" }
size_unit = { type = "VARCHAR", unit = "text", check = "IN ('byte', 'tensor')", help = "What the size counts: bytes (of sends and receives those of a part) or tensors" }
fixed_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration of size 0" }
slope_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Further duration for each byte or tensor" }
n_groups = { type = "BIGINT", unit = "count", check = "> 0", help = "Groups that the line is fitted to" }
least_size = { type = "DOUBLE", unit = "count", help = "Smallest size recorded" }
most_size = { type = "DOUBLE", unit = "count", help = "Largest size recorded" }
has_sizes = { type = "BOOLEAN", unit = "bool", help = "Whether two sizes are a factor of 2 apart, as a slope requires" }
error = { type = "DOUBLE", unit = "ratio", check = ">= 0", help = "Root of the mean squared relative error on these groups" }

[changes]
1 = "first version"
2 = "stages are named queue, copy_in, send, receive and copy_out"
--- */
WITH point AS (
  SELECT run_id, trace_id, rank, stage, 'byte' AS size_unit, dur_ns AS y,
    CASE WHEN stage IN ('send', 'receive') THEN part_bytes ELSE bytes END::DOUBLE AS x
  FROM gradient_stage()
  WHERE dur_ns > 0 AND bytes IS NOT NULL
  UNION ALL
  SELECT run_id, trace_id, rank, stage, 'tensor', dur_ns, n_tensors::DOUBLE
  FROM gradient_stage()
  WHERE dur_ns > 0 AND stage NOT IN ('send', 'receive')
),
-- each point counts as the inverse of its square: relative errors
total AS (
  SELECT
    run_id, trace_id, rank, stage, size_unit,
    count(*)::DOUBLE AS n,
    sum(1 / (y * y)) AS w,
    sum(x / (y * y)) AS wx,
    sum(1 / y) AS wy,
    sum(x * x / (y * y)) AS wxx,
    sum(x / y) AS wxy,
    min(x) AS least_size,
    max(x) AS most_size,
    max(x) >= 2 * min(x) AND max(x) > min(x) AS has_sizes
  FROM point
  GROUP BY run_id, trace_id, rank, stage, size_unit
),
line AS (
  SELECT *, greatest((w * wxy - wx * wy) / (w * wxx - wx * wx), 0) AS free_slope
  FROM total
  WHERE has_sizes AND w * wxx - wx * wx > 0
),
bounded AS (
  SELECT
    *,
    CASE WHEN wy < free_slope * wx THEN wxy / wxx ELSE free_slope END AS slope_ns,
    CASE WHEN wy < free_slope * wx THEN 0 ELSE (wy - free_slope * wx) / w END AS fixed_ns
  FROM line
),
fit AS (
  SELECT
    run_id, trace_id, rank, stage, size_unit, n, least_size, most_size, has_sizes, fixed_ns, slope_ns, 2 AS n_free,
    greatest(
      n + fixed_ns * fixed_ns * w + slope_ns * slope_ns * wxx + 2 * fixed_ns * slope_ns * wx
      - 2 * fixed_ns * wy - 2 * slope_ns * wxy, 0
    ) AS squares
  FROM bounded
  UNION ALL
  SELECT
    run_id, trace_id, rank, stage, size_unit, n, least_size, most_size, has_sizes, wy / w, 0, 1,
    greatest(n - wy * wy / w, 0)
  FROM total
)
SELECT
  run_id,
  trace_id,
  rank,
  stage,
  size_unit,
  fixed_ns,
  slope_ns,
  n::BIGINT AS n_groups,
  least_size,
  most_size,
  has_sizes,
  sqrt(squares / n) AS error
FROM fit
QUALIFY row_number() OVER (
  PARTITION BY trace_id, stage
  -- a constant that fits to rounding is preferred to a line
  ORDER BY greatest(squares / greatest(n - n_free, 1), 1e-12), n_free, size_unit
) = 1
ORDER BY trace_id, stage
