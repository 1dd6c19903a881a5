/* ---
name = "nvtx_gpu_proj_sum"
version = 2
title = "Ranges by name, projected onto devices"
help = """
Sums of nvtx_gpu_proj_trace; work launched in no range is excluded. The report nvtx_gpu_proj_sum of
`nsys stats` has the same figures. In a time window, total_projected_ns is of the parts of the
projections inside it, so disjoint windows add up to the whole; other figures are of whole
projections.
"""
grain = ["trace_id", "range_name", "style"]
requires = { schema = ">=13", queries = ["annotation_work@2", "nvtx_projection@3", "nvtx_range@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "range_name", "style", "total_projected_ns", "total_range_ns",
  "n_instances", "mean_ns", "median_ns", "min_ns", "max_ns", "stddev_ns", "n_device_ops",
  "n_device_ops_mean", "n_calls", "n_calls_mean", "level_mean", "n_children_mean",
]

[column]
n_calls.help = "Number of calls that launched them; Total GPU Ops of `nsys stats`"
total_projected_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of the projected durations" }
total_range_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of the durations on the host" }
n_instances.help = "Number of ranges with device work"
level_mean = { type = "DOUBLE", unit = "count", help = "Mean level" }
n_children_mean = { type = "DOUBLE", unit = "count", help = "Mean number of ranges directly below" }

[column.n_device_ops]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of kernels, copies and memsets launched in the range or in ranges below it"

[column.n_device_ops_mean]
type = "DOUBLE"
unit = "count"
check = "> 0"
help = "Mean number of device operations per range"

[column.n_calls_mean]
type = "DOUBLE"
unit = "count"
check = "> 0"
help = "Mean number of calls per range"

[changes]
2 = "n_calls and n_calls_mean; children are those with work; start/end and crossing ranges own all their work"
1 = "first version"
--- */
WITH RECURSIVE range AS MATERIALIZED (
  SELECT * FROM nvtx_range()
),
projected AS MATERIALIZED (
  SELECT * FROM nvtx_projection()
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
    AND range_id IN (SELECT annotation_id FROM annotation_work())
  GROUP BY parent_id
),
summed AS (
  SELECT
    p.trace_id,
    p.range_name,
    p.style,
    sum(p.inside_projected_ns)::BIGINT AS total_projected_ns,
    sum(p.projected_ns)::BIGINT AS all_ns,
    sum(p.range_ns)::BIGINT AS total_range_ns,
    count(*) AS n_instances,
    median(p.projected_ns) AS median_ns,
    min(p.projected_ns) AS min_ns,
    max(p.projected_ns) AS max_ns,
    coalesce(stddev_samp(p.projected_ns), 0) AS stddev_ns,
    sum(p.n_device_ops)::BIGINT AS n_device_ops,
    sum(p.n_calls)::BIGINT AS n_calls,
    avg(k.level) AS level_mean,
    avg(coalesce(c.n_children, 0)) AS n_children_mean
  FROM projected AS p
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
  s.all_ns / s.n_instances AS mean_ns,
  s.median_ns,
  s.min_ns,
  s.max_ns,
  s.stddev_ns,
  s.n_device_ops,
  s.n_device_ops / s.n_instances AS n_device_ops_mean,
  s.n_calls,
  s.n_calls / s.n_instances AS n_calls_mean,
  s.level_mean,
  s.n_children_mean
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.total_projected_ns DESC, s.range_name, s.style
