/* ---
name = "gradient_update"
version = 1
title = "Operators that update weights with a reduced gradient"
help = """
Of dPRO trials: the nodes of replay_node behind the communication of a tensor in the local graph of a
rank.
"""
grain = ["trace_id", "tensor_id", "update_id"]
requires = { schema = ">=17", queries = ["dpro_node@1", "dpro_operation@2"] }
scale = "run"
columns = ["run_id", "trace_id", "tensor_id", "update_id"]

[column]
tensor_id = { type = "BIGINT", unit = "source id", help = "Number of the tensor" }
update_id = { type = "BIGINT", unit = "id", help = "Node of the operator" }

[changes]
1 = "first version"
--- */
SELECT DISTINCT
  t.run_id,
  g.trace_id,
  regexp_extract(a.name, '^Comm\.([0-9]+)$', 1)::BIGINT AS tensor_id,
  n.place AS update_id
FROM graph_edge AS e
JOIN graph AS g ON g.id = e.graph_id AND g.kind = 'dpro'
JOIN trace AS t ON t.id = g.trace_id
JOIN dpro_operation() AS a ON a.graph_node_id = e.from_node_id
JOIN dpro_operation() AS b ON b.graph_node_id = e.to_node_id
JOIN dpro_node() AS n ON n.trace_id = g.trace_id AND n.name = g.name || '->' || b.name
WHERE regexp_matches(a.name, '^Comm\.[0-9]+$') AND b.phase <> 'Comm'
ORDER BY g.trace_id, tensor_id, update_id
