/* ---
name = "fused_operator"
version = 1
title = "Operators of dPRO trials that are fused into one, with the time that saves"
help = """
Each cluster of operators is computed as one, in place of the last of them by number. What one of them returns and
only others of the cluster take is neither written nor read; what others take, too, is only not read. This traffic
is saved at the rate of precision_use.
"""
grain = ["trace_id", "node_id"]
requires = { schema = ">=18", queries = ["precision_operator@1", "precision_use@2"] }
scale = "run"
columns = ["run_id", "trace_id", "node_id", "into_id", "cluster", "operator", "type", "saved_ns"]

[param.clusters]
type = "VARCHAR"
help = "Operators of each cluster, as net/a+net/b,net/c+net/d"

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node of the operator (replay_node)" }
into_id = { type = "BIGINT", unit = "id", help = "Node of the operator in whose place the cluster runs" }
cluster = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the requested clusters" }
operator = { type = "VARCHAR", unit = "text", help = "Name of the operator" }
type.help = "Type of the operator"
saved_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time of the traffic that the cluster saves" }

[changes]
1 = "first version"
--- */
WITH requested AS (
  SELECT generate_subscripts(each, 1) - 1 AS cluster, unnest(each) AS text
  FROM (SELECT string_split($clusters::VARCHAR, ',') AS each)
),
name AS (
  SELECT DISTINCT cluster, trim(unnest(string_split(text, '+'))) AS operator FROM requested
),
member AS MATERIALIZED (
  SELECT
    o.run_id, o.trace_id, o.node_id, n.cluster, o.operator, o.type,
    max(o.node_id) OVER (PARTITION BY o.trace_id, n.cluster) AS into_id
  FROM name AS n
  JOIN precision_operator() AS o ON o.operator = n.operator
),
moved AS (
  SELECT
    u.trace_id, p.cluster, u.tensor, any_value(u.n_elements) * 4 AS bytes, any_value(u.rate_bytes_per_s) AS rate,
    count(c.node_id) AS n_inside, count(*) - count(c.node_id) AS n_outside
  FROM precision_use() AS u
  JOIN member AS p ON p.trace_id = u.trace_id AND p.node_id = u.producer_id
  LEFT JOIN member AS c ON c.trace_id = u.trace_id AND c.node_id = u.node_id AND c.cluster = p.cluster
  GROUP BY u.trace_id, p.cluster, u.tensor
),
saved AS (
  SELECT trace_id, cluster, sum(bytes * (n_inside + CASE WHEN n_outside = 0 THEN 1 ELSE 0 END) * 1e9 / rate) AS saved_ns
  FROM moved
  WHERE n_inside > 0
  GROUP BY trace_id, cluster
)
SELECT m.run_id, m.trace_id, m.node_id, m.into_id, m.cluster, m.operator, m.type, coalesce(s.saved_ns, 0) AS saved_ns
FROM member AS m
LEFT JOIN saved AS s ON s.trace_id = m.trace_id AND s.cluster = m.cluster
ORDER BY m.trace_id, m.node_id
