/* ---
name = "nvtx_gpu_proj_trace"
version = 3
title = "Ranges projected onto devices"
help = """
From the start of the first to the end of the last device work launched in the range or in ranges
below it. Ranges without work have no row; work launched in no range has one row per thread. Levels
are those of the host stack, children those with work. The report nvtx_gpu_proj_trace of `nsys
stats` has the same rows with its own range numbers, except that it has one row for all work outside
of ranges and no level where two ranges have equal times. A time window contains the rows whose
projection reaches into it, whole.
"""
grain = ["trace_id", "range_id", "pid", "tid", "track_id"]
requires = { schema = ">=13", queries = ["annotation_work@2", "nvtx_projection@3", "nvtx_range@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "range_name", "projected_start_ns", "projected_ns",
  "range_start_ns", "range_ns", "style", "pid", "tid", "track_id", "n_device_ops", "n_calls",
  "level", "n_children", "range_id", "parent_id", "range_stack",
]

[column]
track_id.help = "Track of the thread"
n_calls.help = "Number of calls that launched them; NumGPUOps of `nsys stats`"
range_id = { nullable = true, help = "Range; NULL: work outside ranges" }

[column.n_device_ops]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of kernels, copies and memsets launched in the range or in ranges below it"

[column.level]
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Number of enclosing ranges; NULL: outside ranges"

[changes]
3 = "threads without a number are separate, identified by track_id"
2 = "n_calls; children are those with work; start/end and crossing ranges own all their work"
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
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.range_name,
  s.projected_start_ns,
  s.projected_ns,
  s.range_start_ns,
  s.range_ns,
  s.style,
  s.pid,
  s.tid,
  s.track_id,
  s.n_device_ops,
  s.n_calls,
  k.level::BIGINT AS level,
  coalesce(c.n_children, 0) AS n_children,
  s.range_id,
  r.parent_id,
  k.range_stack
FROM projected AS s
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN range AS r ON r.range_id = s.range_id
LEFT JOIN stack AS k ON k.range_id = s.range_id
LEFT JOIN child AS c ON c.parent_id = s.range_id
ORDER BY t.run_id, t.rank, s.trace_id, s.projected_start_ns, s.projected_ns DESC, s.range_id, s.pid, s.tid, s.track_id
