/* ---
name = "device_prediction"
version = 1
title = "How long the operators of runs would take on another device, by a cost model and its peak rates"
help = """
Operators of operator_sample with known sizes, by name, data type and size. The model is one of `tw model fit device`;
of others, and of operators that it lacks, problem says why there is no prediction. The rates of the device are those
for the data type: data sheets name them.
"""
grain = ["run_id", "name", "data_type", "flops", "bytes"]
requires = { schema = ">=26", queries = ["operator_sample@1"] }
scale = "run"
columns = [
  "run_id", "name", "data_type", "flops", "bytes", "n_operators", "dur_ns", "predicted_ns", "is_extrapolated", "problem",
]

[param.model]
type = "VARCHAR"
help = "Name of the model"

[param.flops_per_s]
type = "DOUBLE"
unit = "1/s"
min = 1
help = "Peak rate of operations of the device, for the data type"

[param.bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
min = 1
help = "Bandwidth of its memory"

[param.data_type]
type = "VARCHAR"
default = ""
help = "Only operators of this data type; empty: all, at one rate"

[column]
name = { nullable = false, help = "Operator name" }
data_type.help = "Type of the first tensor; NULL: not recorded"
flops = { type = "DOUBLE", unit = "count", nullable = false, check = ">= 0", help = "Floating-point operations of each" }
bytes = { type = "DOUBLE", unit = "byte", nullable = false, check = ">= 0", help = "Minimum traffic of each" }
n_operators = { type = "BIGINT", unit = "count", check = "> 0", help = "Operators of this size" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Recorded mean time of each" }
predicted_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Predicted time of each on the other device; NULL: see problem" }
is_extrapolated = { type = "BOOLEAN", unit = "bool", nullable = true, help = "Whether a size that matters is outside of what the line was fitted to" }
problem = { type = "VARCHAR", unit = "text", nullable = true, help = "Why there is no prediction" }

[changes]
1 = "first version"
--- */
WITH term AS MATERIALIZED (
  SELECT t.model_group, t.feature, t.coefficient, t.least, t.most, g.problem
  FROM cost_model AS m
  JOIN cost_model_group AS g ON g.model_id = m.id
  JOIN cost_model_term AS t ON t.model_id = m.id AND t.model_group = g.model_group
  WHERE m.name = $model::VARCHAR AND TRY(from_json(m.features_json, '["VARCHAR"]')) = ['flops_ns', 'bytes_ns']
),
sized AS (
  SELECT run_id, name, data_type, flops, bytes, count(*) AS n_operators, avg(dur_ns) AS dur_ns
  FROM operator_sample()
  WHERE NOT is_beside_communication AND $data_type::VARCHAR IN ('', data_type)
  GROUP BY run_id, name, data_type, flops, bytes
),
valued AS (
  SELECT
    s.*, t.model_group, t.coefficient, t.least, t.most, t.problem,
    CASE t.feature
      WHEN 'flops_ns' THEN s.flops * 1e9 / $flops_per_s::DOUBLE
      WHEN 'bytes_ns' THEN s.bytes * 1e9 / $bytes_per_s::DOUBLE
      ELSE 1
    END AS value
  FROM sized AS s
  LEFT JOIN term AS t ON t.model_group = concat_ws(' ', s.name, s.data_type)
),
line AS (
  SELECT
    run_id, name, data_type, flops, bytes, any_value(n_operators) AS n_operators, any_value(dur_ns) AS dur_ns,
    any_value(model_group) AS model_group, any_value(problem) AS line_problem, sum(coefficient * value) AS line_ns,
    bool_or(NOT value BETWEEN least AND most) AS is_outside,
    bool_or(NOT value BETWEEN least AND most AND coefficient > 0) AS is_extrapolated
  FROM valued
  GROUP BY run_id, name, data_type, flops, bytes
)
SELECT
  run_id,
  name,
  data_type,
  flops,
  bytes,
  n_operators,
  dur_ns,
  CASE WHEN NOT (is_outside AND line_problem IS NOT NULL) THEN line_ns END AS predicted_ns,
  CASE WHEN NOT (is_outside AND line_problem IS NOT NULL) THEN is_extrapolated END AS is_extrapolated,
  CASE
    WHEN NOT EXISTS (FROM term) THEN 'no model ' || $model::VARCHAR || ' predicts other devices: fit one with tw model fit device'
    WHEN model_group IS NULL THEN 'the model has no operator of this name and data type'
    WHEN is_outside THEN line_problem
  END AS problem
FROM line
ORDER BY run_id, name, data_type, flops, bytes
