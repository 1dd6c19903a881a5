/* ---
name = "op_module_summary"
version = 1
title = "Device time by operator and nn.Module, also of replayed graphs"
help = """
The operator is the innermost one around the launching call, or the one captured into the graph that the
call replays; the module the innermost nn.Module around the operator. Both are NULL for work without.
Durations are summed, so overlapping work counts twice; negative durations count as 0 ns. Longest first.
In a time window, sums are of the parts of the durations inside it, so disjoint windows add up to the
whole.
"""
grain = ["trace_id", "device_id", "op", "module"]
requires = { schema = ">=13", queries = ["work_category@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "op", "op_category", "module", "n_device_ops",
  "total_ns", "share",
]

[column]
op = { type = "VARCHAR", unit = "text", nullable = true, help = "Operator; NULL: none is known" }
op_category.help = "Category by the name of op, see work_category; NULL: no operator"
module = { type = "VARCHAR", unit = "text", nullable = true, help = "Class of the module; NULL: none is recorded" }
n_device_ops = { check = "> 0", help = "Number of kernels, copies and memsets" }
share.help = "Share of the total time of all work of the device; NULL if that is 0"

[changes]
1 = "first version"
--- */
WITH cause AS MATERIALIZED (
  SELECT slice_id, cpu_op_id
  FROM gpu_op_cause
  WHERE cpu_op_id IS NOT NULL
),
op_name AS (
  SELECT o.slice_id, o.name
  FROM whole_cpu_op AS o
  SEMI JOIN cause AS c ON c.cpu_op_id = o.slice_id
),
module AS (
  SELECT l.to_id AS slice_id, regexp_replace(substr(m.name, 12), '_[0-9]+$', '') AS module
  FROM whole_link AS l
  JOIN whole_slice AS m ON m.id = l.from_id
  WHERE l.kind = 'module' AND l.link_set = 'default'
),
figure AS (
  SELECT
    g.trace_id,
    g.device_id,
    o.name AS op,
    m.module,
    count(*) AS n_device_ops,
    sum(
      greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0)
    )::BIGINT AS total_ns
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  LEFT JOIN cause AS c ON c.slice_id = g.slice_id
  LEFT JOIN op_name AS o ON o.slice_id = c.cpu_op_id
  LEFT JOIN module AS m ON m.slice_id = c.cpu_op_id
  WHERE g.kind <> 'sync'
  GROUP BY g.trace_id, g.device_id, o.name, m.module
)
SELECT
  t.run_id,
  f.trace_id,
  t.rank,
  f.device_id,
  d.ordinal AS device,
  f.op,
  k.category AS op_category,
  f.module,
  f.n_device_ops,
  f.total_ns,
  f.total_ns / nullif(sum(f.total_ns) OVER (PARTITION BY f.trace_id, f.device_id), 0) AS share
FROM figure AS f
JOIN trace AS t ON t.id = f.trace_id
LEFT JOIN device AS d ON d.id = f.device_id
LEFT JOIN work_category() AS k ON k.kind = 'operator' AND k.name = f.op
ORDER BY
  t.run_id, t.rank, f.trace_id, d.ordinal, f.device_id, f.total_ns DESC, f.op, f.module
