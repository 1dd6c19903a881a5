/* ---
name = "graph_roofline"
version = 2
title = "Operators of graphs on the roofline: what was achieved and what the device allows"
help = """
Nodes of equal name, shapes and types in one row, as far as graph_node_work knows their work; collectives, which
no memory bounds, are left out. Time is that of device work launched in them, else theirs on the host. Peaks
are the parameters, else what the timeline a graph is linked with says of the device, else NULL, and then so is all that rests
on them. roof_share is what was achieved of the least of the peak rate and intensity times peak
bandwidth; above 1 the peak is too low, or caches saved bytes. Host execution traces have no times: intensity alone.
"""
grain = ["graph_id", "name", "input_shapes", "input_types", "model"]
requires = { schema = ">=8", queries = ["graph_node_work@2"] }
portable = false

[param.peak_flops_per_s]
type = "DOUBLE"
unit = "1/s"
nullable = true
min = 1
help = "Peak rate of operations, in place of what is known of the device"

[param.peak_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
min = 1
help = "Peak memory bandwidth, in place of what is known of the device"

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
name = "name"
type = "VARCHAR"
unit = "text"
help = "The operator"

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
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Nodes"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Device work launched in them"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Device time, or where it launched nothing, time on the host; NULL: the graph has no times"

[[column]]
name = "flops"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Floating-point operations of all; NULL: not known"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Least that all must move; NULL: not known"

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

[[column]]
name = "peak_tflops_per_s"
type = "DOUBLE"
unit = "1e12/s"
nullable = true
help = "Peak rate of operations; NULL: not known"

[[column]]
name = "peak_gb_per_s"
type = "DOUBLE"
unit = "GB/s"
nullable = true
help = "Peak memory bandwidth; NULL: not known"

[[column]]
name = "bound"
type = "VARCHAR"
unit = "text"
nullable = true
help = "compute or memory: which peak limits it; NULL: a peak or its intensity is not known"

[[column]]
name = "roof_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "What was achieved of what intensity and peaks allow"

[changes]
1 = "first version"
2 = "the same rows, faster"
--- */
WITH counted AS (
  SELECT
    run_id, trace_id, rank, graph_id, graph_kind, link_set, name, model, input_shapes, input_types,
    count(*) AS n_calls,
    sum(n_device_ops)::BIGINT AS n_device_ops,
    sum(CASE WHEN n_device_ops > 0 THEN device_ns ELSE host_ns END)::BIGINT AS busy_ns,
    TRY_CAST(sum(flops) AS BIGINT) AS flops,
    TRY_CAST(sum(bytes) AS BIGINT) AS bytes,
    min(device_id) AS device_id
  FROM graph_node_work()
  WHERE model <> 'collective'
  GROUP BY
    run_id, trace_id, rank, graph_id, graph_kind, link_set, name, model, input_shapes, input_types
),
rated AS (
  SELECT
    c.*,
    c.flops / nullif(c.bytes, 0) AS intensity,
    c.flops / nullif(c.busy_ns * 1000, 0) AS tflops_per_s,
    c.bytes / nullif(c.busy_ns, 0)::DOUBLE AS gb_per_s,
    coalesce($peak_flops_per_s::DOUBLE, d.peak_flops_per_s) / 1e12 AS peak_tflops_per_s,
    coalesce($peak_bytes_per_s::DOUBLE, d.peak_bytes_per_s) / 1e9 AS peak_gb_per_s
  FROM counted AS c
  LEFT JOIN device AS d ON d.id = c.device_id
)
SELECT
  run_id,
  trace_id,
  rank,
  graph_id,
  graph_kind,
  link_set,
  name,
  model,
  input_shapes,
  input_types,
  n_calls,
  n_device_ops,
  busy_ns,
  flops,
  bytes,
  intensity,
  tflops_per_s,
  gb_per_s,
  peak_tflops_per_s,
  peak_gb_per_s,
  CASE
    WHEN peak_tflops_per_s IS NULL OR peak_gb_per_s IS NULL OR intensity IS NULL THEN NULL
    WHEN intensity * peak_gb_per_s >= peak_tflops_per_s * 1000 THEN 'compute'
    ELSE 'memory'
  END AS bound,
  CASE
    WHEN coalesce(flops, 0) = 0 THEN gb_per_s / peak_gb_per_s
    ELSE tflops_per_s / nullif(least(peak_tflops_per_s, intensity * peak_gb_per_s / 1000), 0)
  END AS roof_share
FROM rated
ORDER BY run_id, rank, trace_id, graph_id, busy_ns DESC, flops DESC, name, model, input_shapes, input_types
