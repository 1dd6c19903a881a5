/* ---
name = "op_range"
version = 1
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
is_range = { type = "BOOLEAN", unit = "bool", help = "Whether all slices from first_id to last_id are operators" }

[changes]
1 = "first version"
--- */
SELECT
  trace_id,
  min(slice_id) AS first_id,
  max(slice_id) AS last_id,
  count(*) = max(slice_id) - min(slice_id) + 1 AS is_range
FROM whole_cpu_op
GROUP BY trace_id
