/* ---
name = "model_prediction"
version = 1
title = "How long work of a size would take, by a cost model"
help = """
One row for each group of the model. A size outside of what the line was fitted to is marked; a group
whose samples give no rate predicts none.
"""
grain = ["model_group"]
requires = { schema = ">=26" }
scale = "sql"
columns = ["model_group", "predicted_ns", "is_extrapolated", "error", "problem"]

[param.model]
type = "VARCHAR"
help = "Name of the model"

[param.features]
type = "VARCHAR"
help = 'Values of the features, as {"bytes": 1e6}'

[column]
model_group = { type = "VARCHAR", unit = "text", help = "Group of samples" }
predicted_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Predicted time; NULL: see problem" }
is_extrapolated = { type = "BOOLEAN", unit = "bool", nullable = true, help = "Whether a value that matters is outside of the range that the line was fitted to" }
error = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "Mean of the absolute relative errors of the group on held-out samples; NULL: none" }
problem = { type = "VARCHAR", unit = "text", nullable = true, help = "Why there is no prediction" }

[changes]
1 = "first version"
--- */
WITH term AS (
  SELECT
    g.model_group, g.error, g.problem, t.feature, t.coefficient, t.least, t.most,
    CASE WHEN t.feature = 'constant' THEN 1
      ELSE TRY_CAST(json_extract_string($features::VARCHAR, t.feature) AS DOUBLE)
    END AS value
  FROM cost_model AS m
  JOIN cost_model_group AS g ON g.model_id = m.id
  JOIN cost_model_term AS t ON t.model_id = m.id AND t.model_group = g.model_group
  WHERE m.name = $model::VARCHAR
),
line AS (
  SELECT
    model_group,
    any_value(error) AS error,
    any_value(problem) AS problem,
    sum(coefficient * value) AS dur_ns,
    bool_or(NOT value BETWEEN least AND most) AS is_outside,
    bool_or(NOT value BETWEEN least AND most AND coefficient > 0) AS is_extrapolated,
    min(feature) FILTER (value IS NULL) AS missing,
    min(feature) FILTER (NOT isfinite(value) OR value < 0) AS unusable
  FROM term
  GROUP BY model_group
)
SELECT
  model_group,
  CASE
    WHEN coalesce(missing, unusable) IS NULL AND NOT (is_outside AND problem IS NOT NULL) THEN dur_ns
  END AS predicted_ns,
  CASE WHEN coalesce(missing, unusable) IS NULL THEN is_extrapolated END AS is_extrapolated,
  error,
  CASE WHEN missing IS NOT NULL THEN 'the feature ' || missing || ' is not given'
    WHEN unusable IS NOT NULL THEN 'the feature ' || unusable || ' is negative or not finite'
    WHEN is_outside THEN problem
  END AS problem
FROM line
ORDER BY model_group
