/* ---
name = "launched_work"
version = 1
title = "Device work launched by operators, and by all slices above them"
help = """
Level 0 has the work launched by the operator itself, by links of kind op_launch; level n the work of
all operators n levels below the slice. Durations of kernels, copies and memsets are summed, so
overlapping work counts twice. Negative durations, including those of unfinished slices, count as
0 ns. In a time window the sums are of the parts of the work inside it.
"""
grain = ["slice_id", "level"]
requires = { schema = ">=1" }
scale = "trace"
columns = ["slice_id", "level", "n_device_ops", "device_ns"]

[column]
slice_id.help = "Operator, or slice above it"
level = { type = "INTEGER", unit = "count", check = ">= 0", help = "Number of levels between it and the operators" }
n_device_ops = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of kernels, copies and memsets" }
device_ns.help = "Sum of their durations"

[changes]
1 = "first version"
--- */
WITH RECURSIVE direct AS MATERIALIZED (
  SELECT
    o.from_id AS slice_id,
    count(*) AS n_device_ops,
    sum(
      greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0)
    )::BIGINT AS device_ns
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  JOIN whole_link AS c ON c.to_id = g.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
  JOIN whole_link AS o ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
  WHERE g.kind <> 'sync'
  GROUP BY o.from_id
),
-- What lies around other slices: all that is searched above the first parents.
around AS MATERIALIZED (
  SELECT id, parent_id
  FROM whole_slice
  WHERE parent_id IS NOT NULL AND is_leaf IS NULL
),
first_parent AS (
  SELECT
    s.parent_id AS slice_id,
    sum(d.n_device_ops)::BIGINT AS n_device_ops,
    sum(d.device_ns)::BIGINT AS device_ns
  FROM whole_slice AS s
  JOIN direct AS d ON d.slice_id = s.id
  WHERE s.parent_id IS NOT NULL
  GROUP BY s.parent_id
),
-- Sums climb one level per round and merge where they meet.
upward AS (
  SELECT slice_id, 1 AS level, n_device_ops, device_ns
  FROM first_parent
  UNION ALL
  SELECT
    s.parent_id, any_value(u.level) + 1, sum(u.n_device_ops)::BIGINT, sum(u.device_ns)::BIGINT
  FROM around AS s
  JOIN upward AS u ON u.slice_id = s.id
  GROUP BY s.parent_id
)
SELECT slice_id, 0 AS level, n_device_ops, device_ns FROM direct
UNION ALL
SELECT slice_id, level, n_device_ops, device_ns FROM upward
