/* ---
name = "cuda_gpu_kern_sum"
version = 1
title = "Kernels by name, with quartiles"
help = """
Overlapping operations are summed. Graphs recorded as a whole are excluded. Negative durations count
as 0 ns. The report cuda_gpu_kern_sum of `nsys stats` has the same figures, with shares in percent.
In a time window, sums are of the parts of the durations inside it, so disjoint windows add up to
the whole; other statistics are of whole durations.
"""
grain = ["trace_id", "kernel"]
requires = { schema = ">=13" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "time_share", "total_ns", "n_instances", "mean_ns", "median_ns",
  "min_ns", "max_ns", "stddev_ns", "q1_ns", "q3_ns", "kernel",
]

[param.name]
type = "VARCHAR"
default = "full"
help = "Kernel name to show: full; base, without arguments and template parameters; mangled. Sources that record a single name show that one"

[param.nvtx_name]
type = "BOOLEAN"
default = false
help = "Prefix the name with that of the innermost range the kernel was launched in, and a slash"

[changes]
1 = "first version"
--- */
WITH one AS (
  SELECT
    g.trace_id,
    greatest(g.dur, 0) AS dur_ns,
    greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0) AS inside_ns,
    CASE WHEN $nvtx_name::BOOLEAN THEN concat(a.name || '/', CASE $name::VARCHAR
      WHEN 'base' THEN coalesce(g.base_name, g.name)
      WHEN 'mangled' THEN coalesce(g.mangled_name, g.name)
      ELSE g.name
    END) ELSE CASE $name::VARCHAR
      WHEN 'base' THEN coalesce(g.base_name, g.name)
      WHEN 'mangled' THEN coalesce(g.mangled_name, g.name)
      ELSE g.name
    END END AS kernel
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  LEFT JOIN whole_link AS k
    ON k.to_id = g.slice_id AND k.kind = 'annotation' AND k.link_set = 'default'
    AND $nvtx_name::BOOLEAN
  LEFT JOIN whole_annotation AS a ON a.slice_id = k.from_id
  WHERE g.kind = 'kernel'
    AND (g.graph_id IS NULL OR g.grid_x IS NOT NULL)
),
summed AS (
  SELECT
    trace_id,
    kernel,
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
  GROUP BY trace_id, kernel
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
  s.kernel
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.total_ns DESC, s.kernel
