/* ---
name = "dpro_tensor"
version = 1
title = "Sizes of the tensors that a dPRO trial communicates, with their groups"
help = """
Sizes are those that Horovod's events name; BytePS names none.
"""
grain = ["run_id", "tensor_id"]
requires = { schema = ">=18", queries = ["dpro_group@1"] }
scale = "run"
columns = ["run_id", "tensor_id", "tensors", "bytes"]

[column]
tensor_id = { type = "BIGINT", unit = "source id", help = "Number of the tensor" }
tensors = { type = "VARCHAR", unit = "text", help = "Numbers of the tensors of its group, ascending" }
bytes.help = "Size of the tensor"

[changes]
1 = "first version"
--- */
SELECT
  g.run_id,
  g.tensor_id,
  any_value(g.tensors) AS tensors,
  max(c.bytes) AS bytes
FROM dpro_group() AS g
LEFT JOIN (
  SELECT t.run_id, m.tensor_id, m.bytes
  FROM collective_tensor AS m
  JOIN trace AS t ON t.id = m.trace_id
) AS c ON c.run_id = g.run_id AND c.tensor_id = g.tensor_id
GROUP BY g.run_id, g.tensor_id
ORDER BY g.run_id, g.tensor_id
