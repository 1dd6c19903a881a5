/* ---
name = "nvtx_gpu_proj_trace"
version = 1
title = "Every range projected onto devices"
help = """
From the start of the first to the end of the last device work launched in the range, also in ranges
below; ranges without any have no row, and what was launched in none is a row for each thread. Children
and levels are those of the stack on the host. The report nvtx_gpu_proj_trace of `nsys stats` has the
same rows.
"""
grain = ["trace_id", "range_id", "pid", "tid"]
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
name = "projected_start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the first device work, on the scale of slice.ts"

[[column]]
name = "projected_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From there to the end of the last"

[[column]]
name = "range_start_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start of the range on its thread"

[[column]]
name = "range_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Length of the range on its thread"

[[column]]
name = "style"
type = "VARCHAR"
unit = "text"
nullable = true
help = "push_pop or start_end; ranges of sources that do not say are push_pop"

[[column]]
name = "pid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Process"

[[column]]
name = "tid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Thread"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels, copies and memsets launched in it, also in ranges below"

[[column]]
name = "level"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Ranges above this one; NULL: of none"

[[column]]
name = "n_children"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Ranges right below this one"

[[column]]
name = "range_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The range; NULL: work outside of all ranges"

[[column]]
name = "parent_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The range right above"

[[column]]
name = "range_stack"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Names of all ranges from the outermost to this one, slashes between them"

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
  s.n_device_ops,
  k.level::BIGINT AS level,
  coalesce(c.n_children, 0) AS n_children,
  s.range_id,
  r.parent_id,
  k.range_stack
FROM nvtx_projection() AS s
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN range AS r ON r.range_id = s.range_id
LEFT JOIN stack AS k ON k.range_id = s.range_id
LEFT JOIN child AS c ON c.parent_id = s.range_id
ORDER BY t.run_id, t.rank, s.trace_id, s.projected_start_ns, s.projected_ns DESC, s.range_id, s.pid, s.tid
