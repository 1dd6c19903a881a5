/* ---
name = "model_list"
version = 1
title = "Cost models of the warehouse"
help = "Models that `tw model fit` stored, whatever the scope: they are kept when their runs are removed."
grain = ["model"]
requires = { schema = ">=26" }
scale = "sql"
columns = ["model", "query", "n_groups", "n_problems", "n_samples", "n_unusable", "error", "created_at"]

[column]
model.help = "Name of the model"
query = { type = "VARCHAR", unit = "text", help = "Query of the samples, name@version" }
n_groups = { type = "BIGINT", unit = "count", check = ">= 0", help = "Groups with a line" }
n_problems = { type = "BIGINT", unit = "count", check = ">= 0", help = "Groups that predict no other sizes" }
n_samples = { type = "BIGINT", unit = "count", check = ">= 0", help = "Samples, the held-out ones included" }
n_unusable = { type = "BIGINT", unit = "count", check = ">= 0", help = "Rows without a time or with an unknown feature" }
error = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "Mean of the absolute relative errors on all held-out samples; NULL: none" }
created_at = { type = "TIMESTAMP", unit = "UTC", help = "When it was fitted" }

[changes]
1 = "first version"
--- */
SELECT
  m.name AS model,
  m.query,
  count(g.model_group) AS n_groups,
  count(g.problem) AS n_problems,
  m.n_samples,
  m.n_unusable,
  sum(g.error * g.n_held_out) / nullif(sum(CASE WHEN g.error IS NOT NULL THEN g.n_held_out END), 0) AS error,
  m.created_at
FROM cost_model AS m
LEFT JOIN cost_model_group AS g ON g.model_id = m.id
GROUP BY m.name, m.query, m.n_samples, m.n_unusable, m.created_at
ORDER BY m.name
