/* ---
name = "what_if_fuse_problem"
version = 2
title = "Why operators of a run cannot be fused"
help = """
No row: they can. Names that the run does not have, operators in two clusters, types that dPRO never fuses, sizes
that are not recorded, clusters of which one operator needs what another returns by way of one outside, and a model
that says nothing about clusters.
"""
grain = ["kind"]
requires = { schema = ">=26", queries = ["fused_line@1", "fused_operator@1", "fusion_operator@1", "precision_operator@1", "precision_use@2"] }
columns = ["kind", "problem", "remedy"]

[param.clusters]
type = "VARCHAR"
help = "Operators of each cluster, as net/a+net/b,net/c+net/d"

[param.model]
type = "VARCHAR"
default = ""
help = "Cost model of fused operators"

[column]
kind = { type = "VARCHAR", unit = "text", nullable = false, help = "1_none, 2_unknown, 3_twice, 4_type, 5_size, 6_cycle, 7_model" }
problem = { type = "VARCHAR", unit = "text", help = "What is wrong" }
remedy.help = "What can be done"

[changes]
1 = "first version"
2 = "models of other work"
--- */
WITH RECURSIVE known AS MATERIALIZED (
  SELECT DISTINCT operator FROM precision_operator()
),
named AS (
  SELECT DISTINCT trim(unnest(string_split_regex($clusters::VARCHAR, '[+,]'))) AS operator
),
member AS MATERIALIZED (
  SELECT run_id, trace_id, node_id, into_id, cluster, operator, type
  FROM fused_operator(p_clusters := $clusters::VARCHAR)
),
used AS MATERIALIZED (FROM precision_use()),
edge AS MATERIALIZED (
  SELECT DISTINCT u.run_id, coalesce(a.into_id, u.producer_id) AS from_id, coalesce(b.into_id, u.node_id) AS to_id
  FROM used AS u
  LEFT JOIN member AS a ON a.run_id = u.run_id AND a.node_id = u.producer_id
  LEFT JOIN member AS b ON b.run_id = u.run_id AND b.node_id = u.node_id
  WHERE u.producer_id IS NOT NULL AND coalesce(a.into_id, u.producer_id) <> coalesce(b.into_id, u.node_id)
),
-- what follows clusters; one that follows itself is part of a cycle
reached AS (
  SELECT e.run_id, e.from_id AS into_id, e.to_id AS node_id
  FROM edge AS e
  WHERE e.from_id IN (SELECT into_id FROM member)
  UNION
  SELECT r.run_id, r.into_id, e.to_id
  FROM reached AS r
  JOIN edge AS e ON e.run_id = r.run_id AND e.from_id = r.node_id
  WHERE r.into_id <> r.node_id
)
SELECT '1_none' AS kind, 'the run has no operators whose types are recorded' AS problem,
  'Fusing requires a dPRO trial with the metadata.json of its ranks.' AS remedy
WHERE NOT EXISTS (FROM known)
UNION ALL
SELECT '2_unknown', 'operators to fuse are not in the run: ' || count(*) || ', such as ' || min(n.operator),
  '`tw query "FROM precision_operator()"` lists the operators.'
FROM named AS n
WHERE EXISTS (FROM known) AND n.operator <> '' AND n.operator NOT IN (SELECT operator FROM known)
HAVING count(*) > 0
UNION ALL
SELECT '3_twice', 'operators are in two clusters, such as ' || min(operator), 'Name each operator once.'
FROM (SELECT operator FROM member GROUP BY operator, trace_id HAVING count(DISTINCT cluster) > 1)
HAVING count(*) > 0
UNION ALL
SELECT '4_type', 'operators that update weights, or of their types, are never fused: ' || count(DISTINCT m.operator) || ', such as '
  || min(m.operator), 'Leave them out: `tw query "FROM fusion_operator()"` lists those that can be.'
FROM member AS m
JOIN fusion_operator() AS o ON o.trace_id = m.trace_id AND o.node_id = m.node_id
WHERE NOT o.is_able
HAVING count(*) > 0
UNION ALL
SELECT '5_size', 'sizes of tensors, or their rate, are not recorded: ' || count(DISTINCT u.tensor) || ', such as that of ' || min(u.tensor),
  'Import the trial with the metadata.json of its ranks.'
FROM used AS u
JOIN member AS m ON m.trace_id = u.trace_id AND m.node_id = u.producer_id
WHERE u.n_elements IS NULL OR u.rate_bytes_per_s IS NULL
HAVING count(*) > 0
UNION ALL
SELECT '6_cycle', 'operators outside take what a cluster returns, and return what it takes: that with ' || min(m.operator),
  'Add these to the cluster, or divide it.'
FROM reached AS r
JOIN member AS m ON m.run_id = r.run_id AND m.node_id = r.into_id
WHERE r.into_id = r.node_id
HAVING count(*) > 0
UNION ALL
SELECT '7_model', 'no cost model ' || $model::VARCHAR || ' says how long fused operators take',
  'Fit one: `tw model fit fused`; `tw model list` lists the models.'
WHERE $model::VARCHAR <> '' AND NOT EXISTS (FROM fused_line() WHERE model = $model::VARCHAR)
ORDER BY kind
