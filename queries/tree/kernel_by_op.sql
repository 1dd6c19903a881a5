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
requires = { schema = ">=1", queries = ["op_top@1", "work_category@1"] }
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
-- One large join at a time, and none that carries the long names of kernels: each hash table is freed
-- before the next is built.
WITH top AS MATERIALIZED (
  SELECT slice_id, top_id
  FROM op_top()
),
-- Few of all operators launch work or are outermost.
op_name AS MATERIALIZED (
  SELECT o.slice_id, o.name
  FROM whole_cpu_op AS o
  -- Always true: with conditions the estimate of these rows is small, so that they are hashed, and
  -- not all operators.
  SEMI JOIN (
    SELECT slice_id FROM top WHERE slice_id >= 0 AND top_id >= 0
    UNION ALL
    SELECT top_id FROM top WHERE slice_id >= 0 AND top_id >= 0
  ) AS p ON p.slice_id = o.slice_id
),
named AS MATERIALIZED (
  SELECT p.slice_id, o.name AS op, t.name AS top_op
  FROM top AS p
  JOIN op_name AS o ON o.slice_id = p.slice_id
  JOIN op_name AS t ON t.slice_id = p.top_id
),
cause AS MATERIALIZED (
  SELECT slice_id, cpu_op_id
  FROM gpu_op_cause
  WHERE cpu_op_id IS NOT NULL
),
work AS MATERIALIZED (
  SELECT c.slice_id, n.op, n.top_op
  FROM cause AS c
  JOIN named AS n ON n.slice_id = c.cpu_op_id
),
figure AS (
  SELECT
    g.trace_id,
    g.device_id,
    c.top_op,
    c.op,
    g.name,
    g.kind,
    count(*) AS n_device_ops,
    sum(
      greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0)
    )::BIGINT AS total_ns,
    sum(greatest(g.dur, 0))::BIGINT AS all_ns
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  LEFT JOIN work AS c ON c.slice_id = g.slice_id
  WHERE g.kind <> 'sync'
  GROUP BY g.trace_id, g.device_id, c.top_op, c.op, g.name, g.kind
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
