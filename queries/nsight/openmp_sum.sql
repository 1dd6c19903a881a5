/* ---
name = "openmp_sum"
version = 2
title = "OpenMP activity by kind"
help = """
Slices of category openmp: parallel regions, tasks, barriers and others. Negative durations count as
0 ns. The report openmp_sum of `nsys stats` covers the same slices. In a time window, sums are of the
parts of the durations inside it, so disjoint windows add up to the whole; other statistics are of
whole durations.
"""
grain = ["trace_id", "call"]
requires = { schema = ">=13" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "time_share", "total_ns", "n_calls", "mean_ns", "median_ns",
  "min_ns", "max_ns", "stddev_ns", "q1_ns", "q3_ns", "call",
]

[column]
n_calls.help = "Number of slices"
call.help = "Kind of activity"

[changes]
2 = "sums are of the parts inside the time window"
1 = "first version"
--- */
WITH one AS (
  SELECT trace_id, name AS call, greatest(dur, 0) AS dur_ns,
    greatest(least(ts + dur, w.to_ns) - greatest(ts, w.from_ns), 0) AS inside_ns
  FROM slice
  CROSS JOIN time_window AS w
  WHERE category = 'openmp'
),
summed AS (
  SELECT
    trace_id,
    call,
    count(*) AS n_calls,
    sum(inside_ns)::BIGINT AS total_ns,
    sum(dur_ns)::BIGINT AS all_ns,
    min(dur_ns) AS min_ns,
    max(dur_ns) AS max_ns,
    coalesce(stddev_samp(dur_ns), 0) AS stddev_ns,
    -- Quantiles from below and above; both values around a quantile that lies between two.
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
  s.all_ns / s.n_calls AS mean_ns,
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
