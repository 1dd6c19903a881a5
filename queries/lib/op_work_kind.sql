/* ---
name = "op_work_kind"
version = 1
title = "Equal operators with counted operations, with their device work by device and step"
help = """
The rows of op_work_device, added up where operator, formula, shapes, types, operations, step and device
are equal. An operator that ran on several devices counts on each.
"""
grain = [
  "trace_id", "device_id", "step_id", "name", "model", "input_dims", "input_types", "data_type",
  "is_repeated", "flops", "bytes", "has_device_work",
]
requires = { schema = ">=13", queries = ["op_work@4", "op_work_device@1"] }
scale = "trace"
computed_once = "reports"
columns = [
  "trace_id", "device_id", "step_id", "name", "model", "input_dims", "input_types", "data_type",
  "is_repeated", "flops", "bytes", "has_device_work", "n_calls", "n_device_ops", "busy_ns",
  "compute_ns",
]

[column]
data_type.help = "float64, float32, tfloat32, float16, bfloat16, float8, int8; NULL: another, or not recorded"
name = { nullable = false, help = "Operator name" }
model.help = "Formula in op_work"
device_id.help = "Device; NULL: on the host, or not recorded"
step_id = { nullable = true, help = "Step in which its device work was launched; NULL: none" }
busy_ns.help = "Sum of the durations of the device work, or of the calls that launched none"
compute_ns.help = "Sum of the durations of compute kernels"
n_calls.help = "Number of calls"
n_device_ops.help = "Number of kernels, copies and memsets launched"
bytes.help = "Minimum traffic of one call; NULL: unknown type"

[column.flops]
type = "BIGINT"
unit = "count"
nullable = true
help = "Floating-point operations of one call; NULL: the formula counts none"

[column.is_repeated]
type = "BOOLEAN"
unit = "bool"
help = "Whether it repeats what a forward pass computed"

[column.has_device_work]
type = "BOOLEAN"
unit = "bool"
help = "Whether the calls launched device work"

[changes]
1 = "first version"
--- */
-- A number stands for what equal calls have in common, as all calls are grouped.
WITH kind AS MATERIALIZED (
  SELECT row_number() OVER () AS kind_n, *
  FROM (SELECT DISTINCT name, model, input_dims, input_types, flops, bytes FROM op_work())
),
counted AS (
  SELECT
    o.trace_id,
    o.device_id,
    o.step_id,
    k.kind_n,
    o.data_type,
    o.is_repeated,
    o.n_device_ops > 0 AS has_device_work,
    count(*) AS n_calls,
    sum(o.n_device_ops)::BIGINT AS n_device_ops,
    sum(o.busy_ns)::BIGINT AS busy_ns,
    sum(o.compute_ns)::BIGINT AS compute_ns
  FROM op_work_device() AS o
  JOIN kind AS k
    ON k.name = o.name
    AND k.model IS NOT DISTINCT FROM o.model
    AND k.input_dims IS NOT DISTINCT FROM o.input_dims
    AND k.input_types IS NOT DISTINCT FROM o.input_types
    AND k.flops IS NOT DISTINCT FROM o.flops
    AND k.bytes IS NOT DISTINCT FROM o.bytes
  GROUP BY
    o.trace_id, o.device_id, o.step_id, k.kind_n, o.data_type, o.is_repeated, o.n_device_ops > 0
)
SELECT
  c.trace_id,
  c.device_id,
  c.step_id,
  k.name,
  k.model,
  k.input_dims,
  k.input_types,
  c.data_type,
  c.is_repeated,
  k.flops,
  k.bytes,
  c.has_device_work,
  c.n_calls,
  c.n_device_ops,
  c.busy_ns,
  c.compute_ns
FROM counted AS c
JOIN kind AS k ON k.kind_n = c.kind_n
