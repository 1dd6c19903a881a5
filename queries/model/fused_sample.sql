/* ---
name = "fused_sample"
version = 1
title = "Fused operators that a program measured, for a cost model"
help = """
Clusters of `tw optimize fusion --measure`, beside the times of their operators in the runs in scope (mean of the
ranks of a run). A cluster takes the sum of its operators, and what the program took longer or shorter with it. Of ten
clusters or more, about a fifth is held out, to test a model.
"""
grain = ["run_id", "measured_by", "operators"]
requires = { schema = ">=26", queries = ["fused_line@1", "fused_time@1"] }
scale = "run"
columns = ["run_id", "measured_by", "operators", "model_group", "is_held_out", "dur_ns", "parts_ns", "rest_ns"]

[column]
measured_by = { type = "VARCHAR", unit = "text", help = "Model that has the measurement" }
operators = { type = "VARCHAR", unit = "text", help = "Names of the operators, with + between them" }
model_group = { type = "VARCHAR", unit = "text", help = "What has a line of its own: fused operators" }
is_held_out = { type = "BOOLEAN", unit = "bool", help = "Whether a model is tested with it, not fitted to it" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time of the cluster" }
parts_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time of its operators one by one" }
rest_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "The same less saved traffic, and no less than the longest" }

[changes]
1 = "first version"
--- */
WITH measured AS MATERIALIZED (
  SELECT model AS measured_by, operators, more_ns FROM fused_line() WHERE operators IS NOT NULL
),
part AS (
  SELECT run_id, operators, avg(parts_ns) AS parts_ns, avg(rest_ns) AS rest_ns
  FROM fused_time(p_clusters := coalesce((SELECT string_agg(DISTINCT operators, ',' ORDER BY operators) FROM measured), ''))
  GROUP BY run_id, operators
)
SELECT
  p.run_id,
  m.measured_by,
  m.operators,
  'fused operators' AS model_group,
  md5_number_lower(m.operators) % 5 = 0 AND count(*) OVER () >= 10 AS is_held_out,
  greatest(p.parts_ns + m.more_ns, 0) AS dur_ns,
  p.parts_ns,
  p.rest_ns
FROM measured AS m
JOIN part AS p ON p.operators = m.operators
ORDER BY p.run_id, m.measured_by, m.operators
