/* ---
name = "gradient_operator"
version = 1
title = "Operators of a replay, by whether they depend on a reduction of gradients"
help = """
Of dPRO trials with NCCL: the operators of replay_node. Those that depend on a reduction move with it,
when gradients are reduced in other groups; the others do not.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=18", queries = ["gradient_node@1", "replay_edge@5", "replay_node@3"] }
scale = "run"
columns = ["node_id", "run_id", "trace_id", "rank", "dur_ns", "gap_ns", "order_key", "is_after_reduction"]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node of replay_node" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
order_key.help = "Order of nodes that are ready at one time"
is_after_reduction = { type = "BOOLEAN", unit = "bool", help = "Whether it depends on a reduction, at once or through others" }

[changes]
1 = "first version"
--- */
WITH RECURSIVE after AS (
  SELECT e.run_id, e.to_id AS node_id
  FROM replay_edge() AS e
  JOIN gradient_node() AS a ON a.run_id = e.run_id AND a.node_id = e.from_id AND a.stage = 'copy_out'
  UNION
  SELECT e.run_id, e.to_id
  FROM after AS a
  JOIN replay_edge() AS e ON e.run_id = a.run_id AND e.from_id = a.node_id
)
SELECT
  n.node_id,
  n.run_id,
  n.trace_id,
  n.rank,
  n.dur_ns,
  n.gap_ns,
  n.order_key,
  EXISTS (FROM after AS a WHERE a.run_id = n.run_id AND a.node_id = n.node_id) AS is_after_reduction
FROM replay_node() AS n
WHERE n.kind = 'operator' AND n.run_id IN (SELECT run_id FROM gradient_node())
ORDER BY n.run_id, n.node_id
