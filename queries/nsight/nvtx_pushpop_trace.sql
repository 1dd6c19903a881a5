/* ---
name = "nvtx_pushpop_trace"
version = 2
title = "Push/pop ranges with their place in the stack"
help = """
The report nvtx_pushpop_trace of `nsys stats` has the same rows with its own range numbers, except
where two ranges of a thread have equal times: it contains each in the other, and loses both.
"""
grain = ["range_id"]
requires = { schema = ">=13", queries = ["nvtx_parent@1", "nvtx_range@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "start_ns", "end_ns", "dur_ns", "child_ns", "self_ns", "range_name",
  "pid", "tid", "level", "n_children", "range_id", "parent_id", "range_stack", "name_tree",
]

[column]
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End, on the time axis of slice.ts"
dur_ns.help = "Duration"
child_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time in ranges directly below this one" }
self_ns = { type = "BIGINT", unit = "ns", help = "dur_ns - child_ns; negative if ranges do not nest" }
level = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of enclosing ranges" }
range_id.help = "Range"
name_tree = { type = "VARCHAR", unit = "text", nullable = true, help = "Name prefixed with two dashes per level" }

[changes]
2 = "ranges of several domains may cross; ranges that never ended last until the last time of a range"
1 = "first version"
--- */
WITH RECURSIVE range AS MATERIALIZED (
  SELECT r.* REPLACE (p.parent_id AS parent_id)
  FROM nvtx_range() AS r
  LEFT JOIN nvtx_parent(true) AS p ON p.range_id = r.range_id
  WHERE r.style = 'push_pop'
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
SEMI JOIN annotation AS a ON a.slice_id = s.range_id
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.start_ns, s.dur_ns DESC, s.range_id
