/* ---
name = "graph_op_work"
version = 1
title = "Operators of graphs: what each had to compute and move, and how fast it did"
help = """
One row a node that counts work, see graph_node_work: the outermost operator with known shapes. Time is that
of the device work launched in it; where there is none, its time on the host. Works on host execution
traces (no times there, so no rates), imported .et files and linked graphs; run after tw link chakra
for times.
"""
grain = ["graph_node_id"]
requires = { schema = ">=8", queries = ["graph_node_work@1"] }
portable = false

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
name = "graph_id"
type = "BIGINT"
unit = "ref graph.id"
help = "The graph"

[[column]]
name = "graph_kind"
type = "VARCHAR"
unit = "text"
help = "execution_trace: recorded on the host; linked: that with device work; chakra: an imported .et"

[[column]]
name = "link_set"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Of a linked graph, by whose rules: default, chakra-1.0, ...; NULL: not linked"

[[column]]
name = "graph_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "The node"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
help = "Its name"

[[column]]
name = "model"
type = "VARCHAR"
unit = "text"
help = "Which formula of shape_work, or recorded: the graph states the node's work itself"

[[column]]
name = "input_shapes"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Shapes of the inputs"

[[column]]
name = "input_types"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Types of the inputs"

[[column]]
name = "flops"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Floating-point operations; NULL: not known"

[[column]]
name = "bytes_read"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Least that must be read; NULL: not known"

[[column]]
name = "bytes_written"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Least that must be written; NULL: not known"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Both together; of a recorded node what it states"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Device work launched in it"

[[column]]
name = "device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of that"

[[column]]
name = "host_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time on the host, with all that runs in it; NULL: the graph has no times"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Device time, or where it launched nothing, time on the host; NULL: the graph has no times"

[[column]]
name = "intensity"
type = "DOUBLE"
unit = "1/byte"
nullable = true
help = "flops / bytes"

[[column]]
name = "tflops_per_s"
type = "DOUBLE"
unit = "1e12/s"
nullable = true
help = "flops / busy_ns, in 10^12 a second; NULL when either is not known or busy_ns is 0"

[[column]]
name = "gb_per_s"
type = "DOUBLE"
unit = "GB/s"
nullable = true
help = "bytes / busy_ns, in 10^9 bytes a second; NULL likewise"

[changes]
1 = "first version"
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
