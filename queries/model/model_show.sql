/* ---
name = "model_show"
version = 1
title = "The lines of a cost model: coefficients, ranges and errors by group"
help = """
Of each group and feature, time = sum of coefficient * feature. A group is tested with the samples that
were held out, and says why if it predicts no sizes but those recorded.
"""
grain = ["model_group", "feature"]
requires = { schema = ">=26" }
scale = "sql"
columns = ["model_group", "feature", "coefficient", "least", "most", "n_fitted", "n_held_out", "error", "problem"]

[param.model]
type = "VARCHAR"
help = "Name of the model"

[column]
model_group = { type = "VARCHAR", unit = "text", help = "Group of samples" }
feature = { type = "VARCHAR", unit = "text", help = "Feature; constant: 1 for all samples" }
coefficient = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time for each unit of the feature" }
least = { type = "DOUBLE", unit = "count", help = "Smallest value that the line is fitted to" }
most = { type = "DOUBLE", unit = "count", help = "Largest value that the line is fitted to" }
n_fitted = { type = "BIGINT", unit = "count", check = "> 0", help = "Samples that the line is fitted to" }
n_held_out = { type = "BIGINT", unit = "count", check = ">= 0", help = "Samples that it is tested with" }
error = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "Mean of the absolute relative errors on the held-out samples; NULL: none" }
problem = { type = "VARCHAR", unit = "text", nullable = true, help = "Why it predicts no other sizes" }

[changes]
1 = "first version"
--- */
SELECT
  g.model_group,
  t.feature,
  t.coefficient,
  t.least,
  t.most,
  g.n_fitted,
  g.n_held_out,
  g.error,
  g.problem
FROM cost_model AS m
JOIN cost_model_group AS g ON g.model_id = m.id
JOIN cost_model_term AS t ON t.model_id = m.id AND t.model_group = g.model_group
WHERE m.name = $model::VARCHAR
ORDER BY g.model_group, t.feature = 'constant', t.feature
