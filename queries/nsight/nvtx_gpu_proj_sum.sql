/* ---
name = "nvtx_gpu_proj_sum"
version = 1
title = "Ranges by name, projected onto devices"
help = """
The sums of nvtx_gpu_proj_trace; what was launched in no range is left out. The report
nvtx_gpu_proj_sum of `nsys stats` has the same figures.
"""
grain = ["trace_id", "range_name", "style"]
portable = false
requires = { schema = ">=13", queries = ["nvtx_projection@1", "nvtx_range@1"] }

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
name = "range_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the range, behind its domain where it has one: domain:name"

[[column]]
name = "style"
type = "VARCHAR"
unit = "text"
nullable = true
help = "push_pop or start_end; ranges of sources that do not say are push_pop"

[[column]]
name = "total_projected_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the projected lengths"

[[column]]
name = "total_range_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the lengths on the host"

[[column]]
name = "n_instances"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Ranges with device work"

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
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels, copies and memsets launched in it, also in ranges below"

[[column]]
name = "n_device_ops_mean"
type = "DOUBLE"
unit = "count"
check = "> 0"
help = "Device operations a range"

[[column]]
name = "level_mean"
type = "DOUBLE"
unit = "count"
help = "Mean level"

[[column]]
name = "n_children_mean"
type = "DOUBLE"
unit = "count"
help = "Mean number of ranges right below"

[changes]
1 = "first version"
--- */
WITH RECURSIVE range AS MATERIALIZED (
  SELECT * FROM nvtx_range()
),
placed AS (
  SELECT range_id, parent_id, 0 AS level, range_name AS range_stack
  FROM range
  UNION ALL
  SELECT c.range_id, r.parent_id, c.level + 1, concat(r.range_name, ' / ', c.range_stack)
  FROM range AS r
  JOIN placed AS c ON c.parent_id = r.range_id
),
stack AS (
  SELECT range_id, level, range_stack FROM placed WHERE parent_id IS NULL
),
child AS (
  SELECT parent_id, count(*) AS n_children
  FROM range
  WHERE parent_id IS NOT NULL
  GROUP BY parent_id
),
summed AS (
  SELECT
    p.trace_id,
    p.range_name,
    p.style,
    sum(p.projected_ns)::BIGINT AS total_projected_ns,
    sum(p.range_ns)::BIGINT AS total_range_ns,
    count(*) AS n_instances,
    median(p.projected_ns) AS median_ns,
    min(p.projected_ns) AS min_ns,
    max(p.projected_ns) AS max_ns,
    coalesce(stddev_samp(p.projected_ns), 0) AS stddev_ns,
    sum(p.n_device_ops)::BIGINT AS n_device_ops,
    avg(k.level) AS level_mean,
    avg(coalesce(c.n_children, 0)) AS n_children_mean
  FROM nvtx_projection() AS p
  JOIN stack AS k ON k.range_id = p.range_id
  LEFT JOIN child AS c ON c.parent_id = p.range_id
  GROUP BY p.trace_id, p.range_name, p.style
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.range_name,
  s.style,
  s.total_projected_ns,
  s.total_range_ns,
  s.n_instances,
  s.total_projected_ns / s.n_instances AS mean_ns,
  s.median_ns,
  s.min_ns,
  s.max_ns,
  s.stddev_ns,
  s.n_device_ops,
  s.n_device_ops / s.n_instances AS n_device_ops_mean,
  s.level_mean,
  s.n_children_mean
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.total_projected_ns DESC, s.range_name, s.style
