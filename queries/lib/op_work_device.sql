/* ---
name = "op_work_device"
version = 1
title = "Operators with counted operations, with their device work by device"
help = """
The operators of op_work, and the device work whose launching call begins during them on their thread.
An operator without device work, which ran on the host, has one row without device. The data type is
that of the first tensor; float32 becomes tfloat32 where the name of a kernel says that it computed
so. A call is repeated work if it runs inside of a recomputation of activation checkpointing
(torch.utils.checkpoint), which is found by CheckpointFunctionBackward or, for the form that is not
reentrant, by the recorded Python function unpack_hook.
"""
grain = ["slice_id", "device_id"]
requires = { schema = ">=13", queries = ["op_work@4"] }
scale = "trace"
columns = [
  "slice_id", "trace_id", "name", "model", "input_dims", "input_types", "flops", "bytes",
  "data_type", "is_repeated", "device_id", "step_id", "n_device_ops", "busy_ns",
  "compute_ns",
]

[column]
data_type.help = "float64, float32, tfloat32, float16, bfloat16, float8, int8; NULL: another, or not recorded"
n_device_ops.help = "Number of kernels, copies and memsets launched"
slice_id.help = "Operator"
name = { nullable = false, help = "Operator name" }
model.help = "Formula in op_work"
bytes.help = "Minimum traffic; NULL: unknown type"
device_id.help = "Device; NULL: on the host, or not recorded"
step_id = { nullable = true, help = "Step in which its device work was launched; NULL: none" }
busy_ns.help = "Sum of the durations of the device work, or of the call if it launched none"

[column.flops]
type = "BIGINT"
unit = "count"
nullable = true
help = "Floating-point operations; NULL: the formula counts none"

[column.is_repeated]
type = "BOOLEAN"
unit = "bool"
help = "Whether it repeats what a forward pass computed"

[column.compute_ns]
help = "Sum of the durations of compute kernels"

[changes]
1 = "first version"
--- */
-- What sorts and joins all of them needs few columns.
WITH RECURSIVE worked AS MATERIALIZED (
  SELECT slice_id, trace_id, track_id, ts, dur FROM op_work()
),
-- Checked once for each name: a plain condition on the name would be checked for each operation.
tfloat32 AS MATERIALIZED (
  SELECT name
  FROM whole_gpu_op
  GROUP BY name
  HAVING regexp_matches(lower(any_value(name)), 'tf32|tensorop_s1688')
),
-- The operator during which the launching call begins, on the call's thread.
device_part AS (
  SELECT
    w.slice_id,
    c.device_id,
    min(c.step_id) AS step_id,
    count(*) AS n_device_ops,
    sum(c.dur) AS busy_ns,
    sum(c.compute_ns) AS compute_ns,
    bool_or(c.is_tfloat32) AS is_tfloat32
  FROM (
    SELECT
      l.track_id,
      l.ts,
      g.device_id,
      g.dur,
      g.compute_ns,
      t.from_id AS step_id,
      g.is_tfloat32
    FROM (
      SELECT
        slice_id,
        device_id,
        greatest(dur, 0) AS dur,
        CASE WHEN kind = 'kernel' AND class = 'compute' THEN greatest(dur, 0) ELSE 0 END AS compute_ns,
        coalesce(name IN (SELECT name FROM tfloat32), false) AS is_tfloat32
      FROM whole_gpu_op
      WHERE kind <> 'sync' AND trace_id IN (SELECT trace_id FROM worked)
    ) AS g
    JOIN whole_link AS k ON k.to_id = g.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
    JOIN whole_launch AS l ON l.slice_id = k.from_id
    LEFT JOIN whole_link AS t ON t.to_id = g.slice_id AND t.kind = 'step' AND t.link_set = 'default'
  ) AS c
  ASOF JOIN worked AS w ON w.track_id = c.track_id AND w.ts <= c.ts
  WHERE c.ts < w.ts + w.dur
  GROUP BY w.slice_id, c.device_id
),
-- What is above each operator, in traces with recomputations only.
repeating AS (
  SELECT id, trace_id
  FROM whole_slice
  WHERE name = 'CheckpointFunctionBackward'
    OR (contains(name, 'torch/utils/checkpoint.py') AND suffix(name, ': unpack_hook'))
),
-- Without such traces, no slices are read.
around AS MATERIALIZED (
  SELECT id, parent_id, name
  FROM whole_slice
  WHERE trace_id IN (SELECT trace_id FROM repeating)
),
above AS (
  SELECT w.slice_id, s.parent_id, false AS is_backward
  FROM worked AS w
  JOIN around AS s ON s.id = w.slice_id
  WHERE w.trace_id IN (SELECT trace_id FROM repeating)
  UNION ALL
  SELECT a.slice_id, s.parent_id, starts_with(s.name, 'autograd::engine::evaluate_function')
  FROM above AS a
  JOIN around AS s ON s.id = a.parent_id
  WHERE NOT a.is_backward AND s.id NOT IN (SELECT id FROM repeating)
),
repeated AS (
  SELECT DISTINCT a.slice_id
  FROM above AS a
  WHERE NOT a.is_backward AND a.parent_id IN (SELECT id FROM repeating)
)
SELECT
  w.slice_id,
  w.trace_id,
  w.name,
  w.model,
  w.input_dims,
  w.input_types,
  w.flops,
  w.bytes,
  CASE regexp_extract(w.input_types, '"(?:c10::)?(double|float|Half|BFloat16|Float8|signed char)', 1)
    WHEN 'double' THEN 'float64'
    WHEN 'float' THEN CASE WHEN p.is_tfloat32 THEN 'tfloat32' ELSE 'float32' END
    WHEN 'Half' THEN 'float16'
    WHEN 'BFloat16' THEN 'bfloat16'
    WHEN 'Float8' THEN 'float8'
    WHEN 'signed char' THEN 'int8'
  END AS data_type,
  r.slice_id IS NOT NULL AS is_repeated,
  p.device_id,
  p.step_id,
  coalesce(p.n_device_ops, 0) AS n_device_ops,
  coalesce(p.busy_ns, w.dur)::BIGINT AS busy_ns,
  coalesce(p.compute_ns, 0)::BIGINT AS compute_ns
FROM op_work() AS w
LEFT JOIN device_part AS p ON p.slice_id = w.slice_id
LEFT JOIN repeated AS r ON r.slice_id = w.slice_id
