/* ---
name = "gradient_tensor"
version = 1
title = "Gradients that ranks reduce together, with the operators that compute them"
help = """
Of dPRO trials with NCCL: each tensor on each rank, the group it was reduced in, its size, and the node
of replay_node whose end makes it ready.
"""
grain = ["trace_id", "tensor_id"]
requires = { schema = ">=18", queries = ["dpro_gradient@1", "dpro_group@1", "dpro_node@1", "dpro_tensor@1"] }
scale = "run"
computed_once = true
columns = ["run_id", "trace_id", "rank", "tensor_id", "tensors", "bytes", "ready_id"]

[column]
tensor_id = { type = "BIGINT", unit = "source id", help = "Number of the tensor" }
tensors = { type = "VARCHAR", unit = "text", help = "Numbers of the tensors of its group, ascending, as in 3+4" }
bytes.help = "Size of the tensor"
ready_id = { type = "BIGINT", unit = "id", help = "Node of the operator that computes the gradient" }

[changes]
1 = "first version"
--- */
SELECT
  g.run_id,
  g.trace_id,
  n.rank,
  g.tensor_id,
  t.tensors,
  t.bytes,
  n.place AS ready_id
FROM dpro_gradient() AS g
JOIN dpro_tensor() AS t ON t.run_id = g.run_id AND t.tensor_id = g.tensor_id
JOIN dpro_node() AS n ON n.trace_id = g.trace_id AND n.name = g.process || '->' || g.name
WHERE (g.run_id, g.tensor_id) IN (
  SELECT (run_id, tensor_id) FROM dpro_group() WHERE n_ring_steps IS NOT NULL
)
ORDER BY g.trace_id, g.tensor_id
