/* ---
name = "openmp_sum"
version = 1
title = "What OpenMP did by kind"
help = """
Slices of category openmp: parallel regions, tasks, barriers and the rest. Lengths below 0 count
0 ns. The report openmp_sum of `nsys stats` is of the same slices.
"""
grain = ["trace_id", "call"]
portable = false
requires = { schema = ">=13" }

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
name = "time_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "total_ns of that of all rows of the trace; NULL when that is 0"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How many"

[[column]]
name = "mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean"

[[column]]
name = "median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median; between the two middle ones of an even number"

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
help = "Standard deviation of the sample (divided by n - 1); 0 for a single one"

[[column]]
name = "q1_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "First quartile: inverse of the distribution, the mean of two where it is met exactly"

[[column]]
name = "q3_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Third quartile, likewise"

[[column]]
name = "call"
type = "VARCHAR"
unit = "text"
nullable = true
help = "What was done"

[changes]
1 = "first version"
--- */
WITH one AS (
  SELECT trace_id, name AS call, greatest(dur, 0) AS dur_ns
  FROM slice
  WHERE category = 'openmp'
),
summed AS (
  SELECT
    trace_id,
    call,
    count(*) AS n_calls,
    sum(dur_ns)::BIGINT AS total_ns,
    min(dur_ns) AS min_ns,
    max(dur_ns) AS max_ns,
    coalesce(stddev_samp(dur_ns), 0) AS stddev_ns,
    -- from below and from above: where a quantile falls between two values, these are both
    quantile_disc(dur_ns, [0.25, 0.5, 0.75]) AS lower,
    quantile_disc(-dur_ns, [0.75, 0.5, 0.25]) AS upper
  FROM one
  GROUP BY trace_id, call
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.total_ns / nullif(sum(s.total_ns) OVER (PARTITION BY s.trace_id), 0) AS time_share,
  s.total_ns,
  s.n_calls,
  s.total_ns / s.n_calls AS mean_ns,
  (s.lower[2] - s.upper[2]) / 2 AS median_ns,
  s.min_ns,
  s.max_ns,
  s.stddev_ns,
  (s.lower[1] - s.upper[1]) / 2 AS q1_ns,
  (s.lower[3] - s.upper[3]) / 2 AS q3_ns,
  s.call
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.total_ns DESC, s.call
