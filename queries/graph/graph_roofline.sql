/* ---
name = "graph_roofline"
version = 2
title = "Roofline of graph operators: achieved and attainable rates"
help = """
One row per name, shapes and types, for nodes whose work graph_node_work computes; collectives are
excluded because memory bandwidth does not bound them. Time is that of the device work launched in
the nodes, else their host time. Peaks are the parameters, else the device values recorded in the
linked timeline, else NULL; figures that depend on an unknown peak are NULL. roof_share is the
achieved rate divided by the lesser of the peak rate and intensity times peak bandwidth; above 1 the
peak is too low or caches saved traffic. Host execution traces have no times, only intensity.
"""
grain = ["graph_id", "name", "input_shapes", "input_types", "model"]
requires = { schema = ">=8", queries = ["graph_node_work@2"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "graph_id", "graph_kind", "link_set", "name", "model",
  "input_shapes", "input_types", "n_calls", "n_device_ops", "busy_ns", "flops", "bytes",
  "intensity", "tflops_per_s", "gb_per_s", "peak_tflops_per_s", "peak_gb_per_s", "bound",
  "roof_share",
]

[param.peak_flops_per_s]
type = "DOUBLE"
unit = "1/s"
nullable = true
min = 1
help = "Peak operations per second; overrides the value recorded for the device"

[param.peak_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
min = 1
help = "Peak memory bandwidth; overrides the value recorded for the device"

[column]
name = { nullable = false, help = "Operator name" }
model.help = "Formula in shape_work, or recorded: the graph records the work of the node"
n_calls.help = "Number of nodes"
n_device_ops.help = "Device work launched in them"
busy_ns = { nullable = true, help = "Device time, or host time if nothing was launched; NULL: the graph has no times" }
flops.help = "Floating-point operations of all nodes; NULL: unknown"
peak_gb_per_s = { type = "DOUBLE", unit = "GB/s", nullable = true, help = "Peak memory bandwidth; NULL: unknown" }
bound.help = "Limiting peak: compute or memory; NULL: a peak or the intensity is unknown"

[column.bytes]
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Minimum traffic of all nodes; NULL: unknown"

[column.peak_tflops_per_s]
type = "DOUBLE"
unit = "1e12/s"
nullable = true
help = "Peak operations per second; NULL: unknown"

[changes]
1 = "first version"
2 = "same rows, faster"
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
