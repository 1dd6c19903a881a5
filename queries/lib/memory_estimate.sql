/* ---
name = "memory_estimate"
version = 1
title = "Estimate of the memory that dPRO trials take, from shapes"
help = """
Trials do not record tensors. The estimate is dPRO's: what forward operators return is live until the backward pass
has come back to them, with one gradient of equal size; weights take 8/3 of their size for gradients and the states of Adam.
Of operators whose shapes are recorded (metadata.json).
"""
grain = ["trace_id"]
requires = { schema = ">=18", queries = ["dpro_tensor@1", "precision_operator@1"] }
scale = "run"
columns = ["run_id", "trace_id", "rank", "activation_bytes", "weight_bytes"]

[column]
activation_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Most bytes of what forward operators return that are live at once, with a gradient" }
weight_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Weights, gradients and states of the optimizer" }

[changes]
1 = "first version"
--- */
WITH output AS (
  SELECT
    o.run_id, o.trace_id, o.rank, o.node_id,
    unnest(TRY(from_json(n.outputs_json, '[{"name": "VARCHAR", "shape": ["BIGINT"], "dtype": "VARCHAR"}]')), recursive := true)
  FROM precision_operator() AS o
  JOIN graph_node AS n ON n.trace_id = o.trace_id AND n.name = o.operator
  JOIN graph AS g ON g.id = n.graph_id AND g.kind = 'dpro'
  WHERE o.phase = 'FW'
),
made AS (
  SELECT
    run_id, trace_id, rank, node_id,
    sum(coalesce(list_aggregate(shape, 'product'), 0) * coalesce(TRY_CAST(regexp_extract(dtype, '([0-9]+)', 1) AS BIGINT), 8) // 8) AS bytes
  FROM output
  GROUP BY run_id, trace_id, rank, node_id
),
swept AS (
  SELECT
    run_id, trace_id, rank,
    bytes + sum(bytes) OVER (PARTITION BY trace_id ORDER BY node_id) AS bytes
  FROM made
),
weight AS (SELECT run_id, sum(bytes) AS bytes FROM dpro_tensor() GROUP BY run_id)
SELECT
  s.run_id, s.trace_id, any_value(s.rank) AS rank, max(s.bytes)::BIGINT AS activation_bytes,
  any_value(coalesce(w.bytes, 0) * 8 // 3)::BIGINT AS weight_bytes
FROM swept AS s
LEFT JOIN weight AS w ON w.run_id = s.run_id
GROUP BY s.run_id, s.trace_id
HAVING max(s.bytes) > 0
ORDER BY s.trace_id
