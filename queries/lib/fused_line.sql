/* ---
name = "fused_line"
version = 1
title = "How long fused operators take, by the cost models"
help = """
Of models that a program measured (--measure), a row for each cluster: what the program took longer with it than
without fused operators. Of those of `tw model fit fused`, one row: the time is of_parts by that of the operators one
by one, of_rest by that less saved traffic, and fixed_ns.
"""
grain = ["model", "operators"]
requires = { schema = ">=26" }
columns = ["model", "operators", "more_ns", "of_parts", "of_rest", "fixed_ns"]

[column]
model.help = "Cost model"
operators = { type = "VARCHAR", unit = "text", nullable = true, help = "Names of the operators in alphabetical order, with + between them; without: none; NULL: any" }
more_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Time of the program with the cluster, less that without" }
of_parts = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "Time for each ns of the operators one by one" }
of_rest = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "Time for each ns of that less saved traffic" }
fixed_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Time besides" }

[changes]
1 = "first version"
--- */
SELECT m.name AS model, w.model_group AS operators, w.coefficient - b.coefficient AS more_ns,
  NULL::DOUBLE AS of_parts, NULL::DOUBLE AS of_rest, NULL::DOUBLE AS fixed_ns
FROM cost_model AS m
JOIN cost_model_term AS w ON w.model_id = m.id
JOIN cost_model_term AS b ON b.model_id = m.id AND b.model_group = 'without'
WHERE m.query = 'measured'
UNION ALL
SELECT m.name, NULL, NULL,
  coalesce(sum(t.coefficient) FILTER (t.feature = 'parts_ns'), 0),
  coalesce(sum(t.coefficient) FILTER (t.feature = 'rest_ns'), 0),
  coalesce(sum(t.coefficient) FILTER (t.feature = 'constant'), 0)
FROM cost_model AS m
JOIN cost_model_term AS t ON t.model_id = m.id
WHERE m.query LIKE 'fused_sample@%'
GROUP BY m.name
ORDER BY model, operators
