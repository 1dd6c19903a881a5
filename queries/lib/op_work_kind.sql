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
requires = { schema = ">=13", queries = ["op_work_device@1"] }
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
SELECT
  trace_id,
  device_id,
  step_id,
  name,
  model,
  input_dims,
  input_types,
  data_type,
  is_repeated,
  flops,
  bytes,
  n_device_ops > 0 AS has_device_work,
  count(*) AS n_calls,
  sum(n_device_ops)::BIGINT AS n_device_ops,
  sum(busy_ns)::BIGINT AS busy_ns,
  sum(compute_ns)::BIGINT AS compute_ns
FROM op_work_device()
GROUP BY
  trace_id, device_id, step_id, name, model, input_dims, input_types, data_type, is_repeated, flops,
  bytes, n_device_ops > 0
