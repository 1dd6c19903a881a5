/* ---
name = "fused_time"
version = 1
title = "How long fused operators of dPRO trials take together"
help = """
Without a model: as long as they do one by one, less the traffic of tensors that are no longer written or read
(fused_operator), and no less than the longest of them. By a model that a program measured (--measure), what the
program took longer or shorter with the cluster is added to the sum (the gaps between them, too, as these are part
of what it measured); by one of `tw model fit fused`, its line says
it. Clusters that the model lacks are as without one.
"""
grain = ["run_id", "into_id"]
requires = { schema = ">=26", queries = ["fused_line@1", "fused_operator@1", "replay_node@3"] }
scale = "run"
columns = ["run_id", "trace_id", "into_id", "operators", "parts_ns", "rest_ns", "dur_ns", "gap_ns", "basis"]

[param.clusters]
type = "VARCHAR"
help = "Operators of each cluster, as net/a+net/b,net/c+net/d"

[param.model]
type = "VARCHAR"
default = ""
help = "Cost model of fused operators"

[column]
into_id = { type = "BIGINT", unit = "id", help = "Node of the operator in whose place the cluster runs" }
operators = { type = "VARCHAR", unit = "text", help = "Names of its operators in alphabetical order, with + between them" }
parts_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time of the operators one by one" }
rest_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "The same less saved traffic, and no less than the longest" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Predicted duration" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
basis = { type = "VARCHAR", unit = "text", check = "IN ('measured', 'model', 'traffic')", help = "measured, model, or traffic" }

[changes]
1 = "first version"
--- */
WITH part AS MATERIALIZED (
  SELECT m.run_id, m.trace_id, m.into_id, m.cluster, m.operator, m.saved_ns, n.dur_ns, n.gap_ns
  FROM fused_operator(p_clusters := $clusters::VARCHAR) AS m
  JOIN replay_node() AS n ON n.run_id = m.run_id AND n.node_id = m.node_id
),
fused AS (
  SELECT
    run_id, trace_id, into_id, string_agg(operator, '+' ORDER BY operator) AS operators, sum(dur_ns) AS parts_ns,
    greatest(sum(dur_ns) - any_value(saved_ns), max(dur_ns)) AS rest_ns, max(gap_ns) AS gap_ns,
    sum(gap_ns) - max(gap_ns) AS saved_gap_ns
  FROM part
  GROUP BY run_id, trace_id, cluster, into_id
),
line AS MATERIALIZED (
  SELECT operators, more_ns, of_parts, of_rest, fixed_ns FROM fused_line() WHERE model = $model::VARCHAR
)
SELECT
  f.run_id, f.trace_id, f.into_id, f.operators, f.parts_ns, f.rest_ns,
  CASE WHEN m.operators IS NOT NULL THEN greatest(f.parts_ns + f.saved_gap_ns + m.more_ns, 0)
    ELSE coalesce(l.of_parts * f.parts_ns + l.of_rest * f.rest_ns + l.fixed_ns, f.rest_ns)
  END AS dur_ns,
  f.gap_ns,
  CASE WHEN m.operators IS NOT NULL THEN 'measured' WHEN l.of_parts IS NOT NULL THEN 'model' ELSE 'traffic' END AS basis
FROM fused AS f
LEFT JOIN line AS m ON m.operators = f.operators
LEFT JOIN line AS l ON l.operators IS NULL
ORDER BY f.run_id, f.into_id
