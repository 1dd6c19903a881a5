/* ---
name = "nvtx_pushpop_trace"
version = 1
title = "Every pushed and popped range, with its place in the stack"
help = """
The report nvtx_pushpop_trace of `nsys stats` has the same rows, with numbers of its own for ranges.
"""
grain = ["range_id"]
portable = false
requires = { schema = ">=13", queries = ["nvtx_range@1"] }

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
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End, on the same scale"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length"

[[column]]
name = "child_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Of it in ranges right below this one"

[[column]]
name = "self_ns"
type = "BIGINT"
unit = "ns"
help = "dur_ns less child_ns; below 0 where ranges do not nest"

[[column]]
name = "range_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the range, behind its domain where it has one: domain:name"

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
name = "level"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Ranges above this one"

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
help = "The range"

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

[[column]]
name = "name_tree"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The name, two dashes before it for each level"

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
  SELECT parent_id, count(*) AS n_children, sum(dur_ns)::BIGINT AS child_ns
  FROM range
  WHERE parent_id IS NOT NULL
  GROUP BY parent_id
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.start_ns,
  s.start_ns + s.dur_ns AS end_ns,
  s.dur_ns,
  coalesce(c.child_ns, 0) AS child_ns,
  s.dur_ns - coalesce(c.child_ns, 0) AS self_ns,
  s.range_name,
  s.pid,
  s.tid,
  k.level::BIGINT AS level,
  coalesce(c.n_children, 0) AS n_children,
  s.range_id,
  s.parent_id,
  k.range_stack,
  repeat('--', k.level) || s.range_name AS name_tree
FROM range AS s
JOIN stack AS k ON k.range_id = s.range_id
LEFT JOIN child AS c ON c.parent_id = s.range_id
JOIN trace AS t ON t.id = s.trace_id
WHERE s.style = 'push_pop'
ORDER BY t.run_id, t.rank, s.trace_id, s.start_ns, s.dur_ns DESC, s.range_id
