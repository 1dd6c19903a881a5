/* ---
name = "kernel_by_op"
version = 2
title = "Kernels, copies and memsets by launching operator"
help = """
Longest first. The operator is the innermost one around the launching call, the top operator the
outermost one above it. Both are NULL for work launched outside operators or without a recorded
launch. Durations are summed, so overlapping work counts twice. Negative durations count as 0 ns. In
a time window, sums are of the parts of the durations inside it, so disjoint windows add up to the
whole; other statistics are of whole durations.
"""
grain = ["trace_id", "device_id", "top_op", "op", "name", "kind"]
requires = { schema = ">=1", queries = ["op_range@2", "work_category@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "top_op", "op", "op_category", "kernel_name",
  "kernel_category", "name", "kind", "n_device_ops", "total_ns", "share", "mean_ns",
]

[column]
kernel_name.help = "Short name, unique among the kernels of the scope; of a copy or memset its name"
kernel_category.help = "Category by the name of the kernel, see work_category; NULL: a copy or memset"
op_category.help = "Category by the name of op, see work_category; NULL: no operator"
top_op = { type = "VARCHAR", unit = "text", nullable = true, help = "Outermost operator around the launching call" }
op = { type = "VARCHAR", unit = "text", nullable = true, help = "Innermost operator around the launching call" }
name.help = "Name of the kernel, copy or memset"
n_device_ops = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of executions" }
share.help = "Share of the total time of all work of the device; NULL if that is 0"

[column.kind]
type = "VARCHAR"
unit = "text"
check = "IN ('kernel', 'memcpy', 'memset')"
help = "kernel, memcpy or memset"

[changes]
2 = "new columns: op_category, kernel_name, kernel_category"
1 = "first version"
--- */
-- Numbers instead of names: names of all operators and kernels would fill the memory.
WITH RECURSIVE op_name AS MATERIALIZED (
  SELECT name, row_number() OVER () AS name_n
  FROM (SELECT DISTINCT name FROM whole_cpu_op)
),
id_range AS MATERIALIZED (
  SELECT trace_id, first_id, last_id, is_range
  FROM op_range()
),
-- Of traces whose operators are no range of ids, each operator is searched.
scattered AS MATERIALIZED (
  SELECT slice_id, name
  FROM whole_cpu_op
  WHERE trace_id IN (SELECT trace_id FROM id_range WHERE NOT is_range)
),
-- All of them; the conditions make their estimate small, so that these are hashed, and not all slices.
few_scattered AS (
  SELECT slice_id
  FROM scattered
  WHERE slice_id >= 0 AND slice_id < 9223372036854775807
),
-- Operators to device work without a recorded call, or replayed by a graph.
direct AS MATERIALIZED (
  SELECT to_id AS slice_id, from_id AS op_id, rule = 'graph_capture' AS is_replayed
  FROM whole_link
  WHERE kind = 'op_device' AND link_set = 'default'
),
called AS MATERIALIZED (
  SELECT c.to_id AS slice_id, o.from_id AS op_id
  FROM whole_link AS c
  JOIN whole_link AS o ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
  WHERE c.kind = 'launch'
    AND c.link_set = 'default'
),
cause AS MATERIALIZED (
  SELECT slice_id, op_id
  FROM called
  WHERE slice_id NOT IN (SELECT slice_id FROM direct WHERE is_replayed)
  UNION ALL
  SELECT slice_id, op_id
  FROM direct
  WHERE is_replayed OR slice_id NOT IN (SELECT slice_id FROM called)
),
-- Slices around others, with the names of those that are operators.
around AS MATERIALIZED (
  SELECT
    s.id,
    s.parent_id,
    CASE WHEN s.id BETWEEN r.first_id AND r.last_id OR x.slice_id IS NOT NULL THEN n.name_n END AS name_n
  FROM whole_slice AS s
  LEFT JOIN op_name AS n ON n.name IS NOT DISTINCT FROM s.name
  LEFT JOIN id_range AS r ON r.trace_id = s.trace_id AND r.is_range
  LEFT JOIN few_scattered AS x ON x.slice_id = s.id
  WHERE s.is_leaf IS NULL
),
launcher AS (
  SELECT c.slice_id, s.parent_id, n.name_n
  FROM whole_slice AS s
  JOIN cause AS c ON c.op_id = s.id
  LEFT JOIN op_name AS n ON n.name IS NOT DISTINCT FROM s.name
  LEFT JOIN id_range AS r ON r.trace_id = s.trace_id AND r.is_range
  LEFT JOIN few_scattered AS x ON x.slice_id = s.id
  WHERE s.id BETWEEN r.first_id AND r.last_id OR x.slice_id IS NOT NULL
),
upward AS (
  SELECT slice_id, parent_id AS at_id, name_n, name_n AS top_n
  FROM launcher
  UNION ALL
  SELECT u.slice_id, a.parent_id, u.name_n, coalesce(a.name_n, u.top_n)
  FROM around AS a
  JOIN upward AS u ON u.at_id = a.id
),
found AS (
  SELECT s.id
  FROM whole_slice AS s
  SEMI JOIN few_scattered AS x ON x.slice_id = s.id
),
work AS MATERIALIZED (
  SELECT slice_id, name_n, top_n
  FROM upward
  WHERE at_id IS NULL
  UNION ALL
  -- Operators without a slice
  SELECT c.slice_id, n.name_n, n.name_n
  FROM scattered AS x
  JOIN cause AS c ON c.op_id = x.slice_id
  JOIN op_name AS n ON n.name IS NOT DISTINCT FROM x.name
  WHERE x.slice_id NOT IN (SELECT id FROM found)
),
numbered AS (
  SELECT
    g.trace_id,
    g.device_id,
    c.name_n,
    c.top_n,
    g.name,
    g.kind,
    count(*) AS n_device_ops,
    sum(
      greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0)
    ) AS total_ns,
    sum(greatest(g.dur, 0)) AS all_ns
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  LEFT JOIN work AS c ON c.slice_id = g.slice_id
  WHERE g.kind <> 'sync'
  GROUP BY g.trace_id, g.device_id, c.name_n, c.top_n, g.name, g.kind
),
-- Operators may have no name.
figure AS (
  SELECT
    a.trace_id,
    a.device_id,
    t.name AS top_op,
    o.name AS op,
    a.name,
    a.kind,
    sum(a.n_device_ops)::BIGINT AS n_device_ops,
    sum(a.total_ns)::BIGINT AS total_ns,
    sum(a.all_ns)::BIGINT AS all_ns
  FROM numbered AS a
  LEFT JOIN op_name AS o ON o.name_n = a.name_n
  LEFT JOIN op_name AS t ON t.name_n = a.top_n
  GROUP BY a.trace_id, a.device_id, t.name, o.name, a.name, a.kind
)
SELECT
  r.run_id,
  a.trace_id,
  r.rank,
  a.device_id,
  d.ordinal AS device,
  a.top_op,
  a.op,
  o.category AS op_category,
  coalesce(c.short_name, a.name) AS kernel_name,
  CASE WHEN a.kind = 'kernel' THEN coalesce(c.category, 'other') END AS kernel_category,
  a.name,
  a.kind,
  a.n_device_ops,
  a.total_ns,
  a.total_ns / nullif(sum(a.total_ns) OVER (PARTITION BY a.trace_id, a.device_id), 0) AS share,
  a.all_ns / a.n_device_ops AS mean_ns
FROM figure AS a
JOIN trace AS r ON r.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
LEFT JOIN work_category() AS c
  ON a.kind = 'kernel' AND c.kind = 'kernel' AND c.name = a.name
LEFT JOIN work_category() AS o ON o.kind = 'operator' AND o.name = a.op
ORDER BY
  r.run_id, r.rank, a.trace_id, d.ordinal, a.device_id, a.total_ns DESC, a.top_op, a.op, a.name,
  a.kind
