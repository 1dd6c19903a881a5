/* ---
name = "op_range"
version = 2
title = "Ids of the operators of each trace"
help = """
Slices are numbered by category first, so that the operators of a trace usually are one range of ids:
comparisons with its ends find the operators among slices, without a search of each. Operators outside the
time window count.
"""
grain = ["trace_id"]
requires = { schema = ">=13" }
scale = "trace"
columns = ["trace_id", "first_id", "last_id", "is_range"]

[column]
first_id = { type = "BIGINT", unit = "ref slice.id", help = "Operator with the lowest id" }
last_id = { type = "BIGINT", unit = "ref slice.id", help = "Operator with the highest id" }
is_range = { type = "BOOLEAN", unit = "bool", help = "Whether there are slices from first_id to last_id, all of them operators" }

[changes]
2 = "a trace without slices of its operators has no range"
1 = "first version"
--- */
WITH extent AS MATERIALIZED (
  SELECT trace_id, min(slice_id) AS first_id, max(slice_id) AS last_id, count(*) AS n_ops
  FROM whole_cpu_op
  GROUP BY trace_id
),
stored AS MATERIALIZED (
  SELECT id
  FROM whole_slice
  WHERE id IN (SELECT first_id FROM extent UNION ALL SELECT last_id FROM extent)
)
SELECT
  trace_id,
  first_id,
  last_id,
  n_ops = last_id - first_id + 1
    AND first_id IN (SELECT id FROM stored)
    AND last_id IN (SELECT id FROM stored)
    AS is_range
FROM extent
