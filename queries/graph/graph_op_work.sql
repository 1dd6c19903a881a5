/* ---
name = "graph_op_work"
version = 2
title = "Operators of graphs: operations, bytes and achieved rates"
help = """
One row per node that counts work (see graph_node_work): the outermost operator with known shapes.
Time is that of the device work launched in it, or its host time if there is none. Works on host
execution traces (which have no times, so no rates), imported .et files and linked graphs. Run `tw
link chakra` first to get times.
"""
grain = ["graph_node_id"]
requires = { schema = ">=8", queries = ["graph_node_work@2"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "graph_id", "graph_kind", "link_set", "graph_node_id", "name",
  "model", "input_shapes", "input_types", "flops", "bytes_read", "bytes_written", "bytes",
  "n_device_ops", "device_ns", "host_ns", "busy_ns", "intensity", "tflops_per_s", "gb_per_s",
]

[column]
name.nullable = false
model.help = "Formula in shape_work, or recorded: the graph records the work of the node"
n_device_ops.help = "Device work launched in it"
busy_ns = { nullable = true, help = "Device time, or host time if nothing was launched; NULL: the graph has no times" }

[column.bytes]
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "bytes_read + bytes_written; of a recorded node the recorded value"

[changes]
1 = "first version"
2 = "same rows, faster"
--- */
SELECT
  run_id,
  trace_id,
  rank,
  graph_id,
  graph_kind,
  link_set,
  graph_node_id,
  name,
  model,
  input_shapes,
  input_types,
  flops,
  bytes_read,
  bytes_written,
  bytes,
  n_device_ops,
  device_ns,
  host_ns,
  busy_ns,
  flops / nullif(bytes, 0) AS intensity,
  flops / nullif(busy_ns * 1000, 0) AS tflops_per_s,
  bytes / nullif(busy_ns, 0)::DOUBLE AS gb_per_s
FROM (
  SELECT *, CASE WHEN n_device_ops > 0 THEN device_ns ELSE host_ns END AS busy_ns
  FROM graph_node_work()
)
ORDER BY run_id, rank, trace_id, graph_id, graph_node_id
