/* ---
name = "precision_use"
version = 2
title = "Tensors that operators of dPRO trials take, with the time of a cast to another precision"
help = """
Tensors of float32, by the operators that take them: of other operators, weights, and reduced gradients,
which operators that update weights take. A cast reads four bytes of each element and writes two, or the
reverse, at the highest rate of an element-wise operator of the rank, and takes no less time than the shortest
operator that returns float32. Operators take a tensor in the order in which they began, on average over the steps.
"""
grain = ["trace_id", "tensor", "node_id"]
requires = { schema = ">=18", rows = ["graph where kind = 'dpro'"], queries = ["dpro_event_node@1", "dpro_gradient@1", "dpro_node@1", "dpro_tensor@1", "gradient_update@1", "precision_operator@1"] }
scale = "run"
computed_once = true
columns = [
  "run_id", "trace_id", "tensor", "producer_id", "node_id", "turn", "n_elements", "least_ns", "rate_bytes_per_s",
]

[column]
tensor = { type = "VARCHAR", unit = "text", help = "Name of the tensor; of gradients gradient and its number" }
producer_id = { type = "BIGINT", unit = "id", nullable = true, help = "Node of the operator that returns it; NULL: none, a weight" }
node_id = { type = "BIGINT", unit = "id", help = "Node of the operator that takes it" }
turn = { type = "BIGINT", unit = "count", check = ">= 1", help = "Place among the operators that take the tensor" }
n_elements = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Number of elements; NULL: not recorded" }
least_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Time of the shortest operator of the rank" }
rate_bytes_per_s = { type = "DOUBLE", unit = "byte/s", nullable = true, check = ">= 0", help = "Highest rate of an element-wise operator of the rank; NULL: not recorded" }

[changes]
2 = "place of each operator among those that take the tensor"
1 = "first version"
--- */
WITH operator AS MATERIALIZED (FROM precision_operator()),
described AS MATERIALIZED (
  SELECT
    o.trace_id, o.node_id, n.id, o.operator, o.type, o.is_float32, p.own_dur_ns AS dur_ns,
    TRY(from_json(n.inputs_json, '[{"name": "VARCHAR", "shape": ["BIGINT"], "dtype": "VARCHAR"}]')) AS inputs,
    TRY(from_json(n.outputs_json, '[{"name": "VARCHAR", "shape": ["BIGINT"], "dtype": "VARCHAR"}]')) AS outputs
  FROM graph_node AS n
  JOIN graph AS g ON g.id = n.graph_id AND g.kind = 'dpro'
  JOIN operator AS o ON o.trace_id = n.trace_id AND o.operator = n.name
  JOIN dpro_node() AS p ON p.run_id = o.run_id AND p.place = o.node_id
),
input AS (
  SELECT trace_id, node_id, id, unnest(inputs, recursive := true) FROM described
),
output AS (
  SELECT trace_id, node_id, id, unnest(outputs, recursive := true) FROM described
),
moved AS (
  SELECT trace_id, node_id, sum(list_aggregate(shape, 'product')) * 4 AS bytes
  FROM (SELECT trace_id, node_id, shape, dtype FROM input UNION ALL SELECT trace_id, node_id, shape, dtype FROM output)
  WHERE dtype = 'float32'
  GROUP BY ALL
),
speed AS (
  SELECT
    d.trace_id,
    min(d.dur_ns) FILTER (d.is_float32 AND d.dur_ns > 0) AS least_ns,
    max(m.bytes * 1e9 / d.dur_ns) FILTER (d.dur_ns > 0 AND d.type IN (
      'Add', 'AddN', 'AddV2', 'BiasAdd', 'Elu', 'EluGrad', 'LeakyRelu', 'LeakyReluGrad', 'Maximum', 'Minimum', 'Mul', 'Neg',
      'RealDiv', 'Relu', 'Relu6', 'Relu6Grad', 'ReluGrad', 'Sigmoid', 'SigmoidGrad', 'Sqrt', 'Sub', 'Tanh', 'TanhGrad'
    )) AS rate_bytes_per_s
  FROM described AS d
  LEFT JOIN moved AS m ON m.trace_id = d.trace_id AND m.node_id = d.node_id
  GROUP BY d.trace_id
),
-- who returns a tensor: the operator that it is named after, or one before that lists it (operators that
-- compute gradients list weights, too)
returned AS (
  SELECT i.id, i.name AS tensor, min(coalesce(n.node_id, o.node_id)) AS producer_id
  FROM input AS i
  LEFT JOIN described AS n ON n.trace_id = i.trace_id AND n.operator = regexp_replace(i.name, ':[0-9]+$', '')
  LEFT JOIN graph_edge AS e ON e.to_node_id = i.id
  LEFT JOIN output AS o ON o.id = e.from_node_id AND o.name = i.name
  GROUP BY i.id, i.name
),
-- when operators began, from the first event of the step
began AS MATERIALIZED (
  SELECT run_id, place AS node_id, avg(since_ns) AS start_ns
  FROM (
    SELECT run_id, place, stage, start_ns - min(start_ns) OVER (PARTITION BY run_id, step) AS since_ns
    FROM dpro_event_node()
  )
  WHERE stage IS NULL
  GROUP BY run_id, place
),
use AS (
  SELECT
    i.trace_id, i.name AS tensor, any_value(r.producer_id) AS producer_id, i.node_id,
    max(list_aggregate(i.shape, 'product'))::BIGINT AS n_elements
  FROM input AS i
  JOIN returned AS r ON r.id = i.id AND r.tensor = i.name
  WHERE i.dtype = 'float32'
  GROUP BY i.trace_id, i.name, i.node_id
  UNION ALL
  SELECT g.trace_id, 'gradient ' || g.tensor_id, any_value(p.place),
    arg_min(u.update_id, (coalesce(b.start_ns, 'Infinity'), u.update_id)), any_value(t.bytes) // 4
  FROM dpro_gradient() AS g
  JOIN dpro_node() AS p ON p.trace_id = g.trace_id AND p.name = g.process || '->' || g.name
  JOIN gradient_update() AS u ON u.trace_id = g.trace_id AND u.tensor_id = g.tensor_id
  LEFT JOIN began AS b ON b.run_id = u.run_id AND b.node_id = u.update_id
  LEFT JOIN dpro_tensor() AS t ON t.run_id = g.run_id AND t.tensor_id = g.tensor_id
  GROUP BY g.trace_id, g.tensor_id
)
SELECT
  t.run_id, u.trace_id, u.tensor, u.producer_id, u.node_id,
  row_number() OVER (PARTITION BY u.trace_id, u.tensor ORDER BY b.start_ns NULLS LAST, u.node_id) AS turn,
  u.n_elements, s.least_ns, s.rate_bytes_per_s
FROM use AS u
JOIN trace AS t ON t.id = u.trace_id
LEFT JOIN began AS b ON b.run_id = t.run_id AND b.node_id = u.node_id
LEFT JOIN speed AS s ON s.trace_id = u.trace_id
ORDER BY u.trace_id, u.tensor, u.node_id
