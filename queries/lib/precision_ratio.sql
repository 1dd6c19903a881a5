/* ---
name = "precision_ratio"
version = 2
title = "How long operators take in 16 bits, by the cost models"
help = """
The lines of the models of `tw model fit precision`, by the type of the operator: the time in 16 bits is
ratio by that in 32 bits plus fixed_ns. Of several devices, their mean; devices names them.
"""
grain = ["model", "type"]
requires = { schema = ">=26" }
scale = "run"
columns = ["model", "type", "ratio", "fixed_ns", "devices"]

[column]
model.help = "Cost model"
type = { type = "VARCHAR", unit = "text", help = "Name or type of the operator" }
ratio = { type = "DOUBLE", unit = "ratio", check = ">= 0", help = "Time in 16 bits for each ns in 32 bits" }
fixed_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time besides" }
devices = { type = "VARCHAR", unit = "text", help = "Devices that the type was measured on, separated by commas; host: none" }

[changes]
2 = "devices"
1 = "first version"
--- */
WITH line AS (
  SELECT
    m.name AS model,
    regexp_extract(t.model_group, '^(.*) (float16|bfloat16) on ', 1) AS type,
    regexp_extract(t.model_group, ' (float16|bfloat16) on (.*)$', 2) AS device_name,
    t.model_group,
    coalesce(sum(t.coefficient) FILTER (t.feature = 'float32_ns'), 0) AS ratio,
    coalesce(sum(t.coefficient) FILTER (t.feature = 'constant'), 0) AS fixed_ns
  FROM cost_model AS m
  JOIN cost_model_term AS t ON t.model_id = m.id
  WHERE TRY(from_json(m.features_json, '["VARCHAR"]')) = ['float32_ns']
  GROUP BY ALL
)
SELECT
  model,
  type,
  avg(ratio) AS ratio,
  avg(fixed_ns) AS fixed_ns,
  string_agg(DISTINCT device_name, ', ' ORDER BY device_name) AS devices
FROM line
WHERE type <> ''
GROUP BY model, type
ORDER BY model, type
