/* ---
name = "dpro_tensor_size"
version = 1
title = "Sizes of the tensors that a dPRO trial names"
help = """
By the shapes and types of metadata.json and the numbers of gradient_name_list.json, whatever communicates them.
"""
grain = ["run_id", "tensor_id"]
requires = { schema = ">=17" }
scale = "run"
columns = ["run_id", "tensor_id", "bytes"]

[column]
tensor_id = { type = "BIGINT", unit = "source id", help = "Number of the tensor" }
bytes.help = "Size of the tensor; NULL: shape or type not recorded"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  e.tensor_id,
  max(e.n_elements * e.element_bytes) AS bytes
FROM tensor AS e
JOIN graph AS g ON g.id = e.graph_id
JOIN trace AS t ON t.id = e.trace_id
WHERE g.kind = 'dpro'
GROUP BY t.run_id, e.tensor_id
ORDER BY t.run_id, e.tensor_id
