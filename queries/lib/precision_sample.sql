/* ---
name = "precision_sample"
version = 1
title = "Operators that were recorded in 32 and in 16 bits, for a cost model"
help = """
Operators of operator_sample with equal shapes on equal devices in both precisions, in any of the runs in
scope, without those beside communication: mean time in 16 bits beside that in 32 bits (float32 or tfloat32).
The coefficient of a model is the ratio of the two. Of groups with ten shapes or more, about a fifth is held
out, to test a model.
"""
grain = ["model_group", "shapes"]
requires = { schema = ">=13", queries = ["op_work@4", "operator_sample@1"] }
scale = "trace"
columns = ["model_group", "name", "data_type", "shapes", "n_operators", "is_held_out", "dur_ns", "float32_ns"]

[column]
model_group = { type = "VARCHAR", unit = "text", help = "What has a line of its own: operator, type of 16 bits, device" }
name = { nullable = false, help = "Operator name" }
data_type.help = "float16 or bfloat16"
shapes = { type = "VARCHAR", unit = "json", help = "Input shapes" }
n_operators = { type = "BIGINT", unit = "count", check = "> 1", help = "Operators of both precisions" }
is_held_out = { type = "BOOLEAN", unit = "bool", help = "Whether a model is tested with it, not fitted to it" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Mean time in 16 bits" }
float32_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Mean time in 32 bits" }

[changes]
1 = "first version"
--- */
WITH timed AS (
  SELECT
    s.name,
    CASE WHEN s.device_id IS NULL THEN 'host' ELSE coalesce(s.device_name, 'a device') END AS device_name,
    CASE WHEN s.data_type = 'tfloat32' THEN 'float32' ELSE s.data_type END AS data_type,
    w.input_dims AS shapes,
    count(*) AS n_operators,
    avg(s.dur_ns) AS dur_ns
  FROM operator_sample() AS s
  JOIN op_work() AS w ON w.slice_id = s.slice_id
  WHERE NOT s.is_beside_communication
  GROUP BY ALL
),
pair AS (
  SELECT
    concat_ws(' ', h.name, h.data_type, 'on', h.device_name) AS model_group,
    h.name, h.data_type, h.shapes, h.n_operators + f.n_operators AS n_operators, h.dur_ns, f.dur_ns AS float32_ns
  FROM timed AS h
  JOIN timed AS f ON f.name = h.name AND f.device_name = h.device_name AND f.shapes = h.shapes AND f.data_type = 'float32'
  WHERE h.data_type IN ('float16', 'bfloat16')
)
SELECT
  model_group,
  name,
  data_type,
  shapes,
  n_operators,
  md5_number_lower(shapes) % 5 = 0 AND count(*) OVER (PARTITION BY model_group) >= 10 AS is_held_out,
  dur_ns,
  float32_ns
FROM pair
ORDER BY model_group, shapes
