/* ---
name = "dpro_gradient"
version = 1
title = "The backward operator that computes each gradient of a dPRO trial"
help = """
The operator before the communication of a tensor in the local graph of a rank; of several the one
whose edge comes first.
"""
grain = ["trace_id", "tensor_id"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro'"], queries = ["dpro_local_edge@1"] }
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
  regexp_extract(e.to_name, '^Comm\.([0-9]+)$', 1)::BIGINT AS tensor_id,
  e.from_name AS name
FROM dpro_local_edge() AS e
JOIN graph AS g ON g.trace_id = e.trace_id AND g.kind = 'dpro'
JOIN trace AS t ON t.id = g.trace_id
WHERE e.input_ordinal = 0 AND regexp_matches(e.to_name, '^Comm\.[0-9]+$')
ORDER BY trace_id, tensor_id
