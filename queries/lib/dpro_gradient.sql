/* ---
name = "dpro_gradient"
version = 1
title = "The backward operator that computes each gradient of a dPRO trial"
help = """
The operator before the communication of a tensor in the local graph of a rank; of several the one
whose edge comes first.
"""
grain = ["trace_id", "tensor_id"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro'"], queries = ["dpro_operation@1"] }
scale = "trace"
computed_once = true
columns = ["run_id", "trace_id", "process", "tensor_id", "name"]

[column]
process = { type = "VARCHAR", unit = "text", help = "Name of the rank in dPRO, such as host0.rank1" }
tensor_id = { type = "BIGINT", unit = "source id", help = "Number of the tensor" }
name = { type = "VARCHAR", unit = "text", help = "Name of the operator in dPRO" }

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  g.trace_id,
  g.name AS process,
  regexp_extract(b.name, '^Comm\.([0-9]+)$', 1)::BIGINT AS tensor_id,
  arg_min(a.name, e.id) AS name
FROM graph_edge AS e
JOIN graph AS g ON g.id = e.graph_id
JOIN trace AS t ON t.id = g.trace_id
JOIN dpro_operation() AS a ON a.graph_node_id = e.from_node_id
JOIN dpro_operation() AS b ON b.graph_node_id = e.to_node_id
WHERE g.kind = 'dpro' AND regexp_matches(b.name, '^Comm\.[0-9]+$')
GROUP BY t.run_id, g.trace_id, g.name, b.name
ORDER BY trace_id, tensor_id
