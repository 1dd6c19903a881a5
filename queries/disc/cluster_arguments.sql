/* ---
name = "cluster_arguments"
version = 1
title = "Arguments of dumped clusters"
help = """
Kind, type, shape, size and placement of each argument, and a summary of its dumped values: a
replay of zeros or NaN does not show what branches and sparse inputs cost.
"""
grain = ["disc_cluster_id", "ordinal"]
scale = "trace"
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "ordinal", "kind", "placement",
  "data_type", "shape_json", "bytes", "min_value", "max_value", "n_nan", "n_zero", "member",
]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster" }
function.help = "Name of the cluster's function"
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Position among the arguments, from 0" }
kind.help = "constant, parameter, fixed_shape, host, resource, ..."
placement = { type = "VARCHAR", unit = "text", nullable = true, help = "Where a replay puts it: const, cpu or gpu" }
data_type.help = "Element type"
shape_json = { type = "VARCHAR", unit = "json", nullable = true, help = "Shape of the dumped value; NULL: unknown rank" }
bytes = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "Size of the value; NULL: no value" }
min_value = { type = "DOUBLE", unit = "text", nullable = true, help = "Least value; NULL: no numbers" }
max_value = { type = "DOUBLE", unit = "text", nullable = true, help = "Greatest value; NULL: no numbers" }
n_nan = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Values that are not a number" }
n_zero = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Values that are 0" }
member = { type = "VARCHAR", unit = "text", nullable = true, help = "File of the value in the archive; NULL: not dumped" }

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  a.disc_cluster_id,
  c.function,
  a.ordinal,
  a.kind,
  a.placement,
  a.data_type,
  a.shape_json,
  a.bytes,
  a.min_value,
  a.max_value,
  a.n_nan,
  a.n_zero,
  a.member
FROM disc_cluster_argument AS a
JOIN disc_cluster AS c ON c.id = a.disc_cluster_id
JOIN trace AS t ON t.id = a.trace_id
ORDER BY t.run_id, a.disc_cluster_id, a.ordinal
