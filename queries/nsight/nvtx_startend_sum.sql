/* ---
name = "nvtx_startend_sum"
version = 2
title = "Start/end ranges by name"
help = """
Names are prefixed with their domain. Marks are excluded. Ranges that never ended last until the
last time of a range. The report nvtx_startend_sum of `nsys stats` has the same figures, with shares
in percent. In a time window, sums are of the parts of the durations inside it, so disjoint windows
add up to the whole; other statistics are of whole durations.
"""
grain = ["trace_id", "range_name"]
requires = { schema = ">=13", queries = ["annotation_extent@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "time_share", "total_ns", "n_instances", "mean_ns", "median_ns",
  "min_ns", "max_ns", "stddev_ns", "q1_ns", "q3_ns", "range_name",
]

[changes]
2 = "ranges that never ended last until the last time of a range"
1 = "first version"
--- */
WITH one AS (
  SELECT a.trace_id, concat(a.domain || ':', a.name) AS range_name, e.end_ns - e.start_ns AS dur_ns,
    greatest(least(e.end_ns, w.to_ns) - greatest(e.start_ns, w.from_ns), 0) AS inside_ns
  FROM annotation AS a
  JOIN annotation_extent() AS e ON e.slice_id = a.slice_id
  CROSS JOIN time_window AS w
  WHERE a.side = 'host'
    AND coalesce(a.style, 'push_pop') = 'start_end'
),
summed AS (
  SELECT
    trace_id,
    range_name,
    count(*) AS n_instances,
    sum(inside_ns)::BIGINT AS total_ns,
    sum(dur_ns)::BIGINT AS all_ns,
    min(dur_ns) AS min_ns,
    max(dur_ns) AS max_ns,
    coalesce(stddev_samp(dur_ns), 0) AS stddev_ns,
    -- Quantiles from below and above; both values around a quantile that lies between two.
    quantile_disc(dur_ns, [0.25, 0.5, 0.75]) AS lower,
    quantile_disc(-dur_ns, [0.75, 0.5, 0.25]) AS upper
  FROM one
  GROUP BY trace_id, range_name
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.total_ns / nullif(sum(s.total_ns) OVER (PARTITION BY s.trace_id), 0) AS time_share,
  s.total_ns,
  s.n_instances,
  s.all_ns / s.n_instances AS mean_ns,
  (s.lower[2] - s.upper[2]) / 2 AS median_ns,
  s.min_ns,
  s.max_ns,
  s.stddev_ns,
  (s.lower[1] - s.upper[1]) / 2 AS q1_ns,
  (s.lower[3] - s.upper[3]) / 2 AS q3_ns,
  s.range_name
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.total_ns DESC, s.range_name
