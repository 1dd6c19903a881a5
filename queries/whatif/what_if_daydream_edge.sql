/* ---
name = "what_if_daydream_edge"
version = 2
title = "What if: communication as Daydream models it: dependencies"
help = """
The edges between operators, and on each rank those of each group of tensors: from the operators
that compute its gradients to its tensors, and from these to the first update.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=18", queries = ["dpro_tensor@1", "replay_edge@5", "replay_node@3"] }
scale = "run"
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "ordinal", "link_id", "confidence"]

[column]
from_id.help = "Node that comes first (replay_node)"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start" }
kind.help = "As in replay_edge"
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the edges of the run" }
link_id = { type = "BIGINT", unit = "ref link.id", nullable = true, help = "Link that it is made from" }

[changes]
2 = "all ranks"
1 = "first version"
--- */
WITH node AS (
  SELECT
    *,
    split_part(name, '->', 1) AS process,
    kind = 'operator' AS is_operator,
    nullif(regexp_extract(name, '->Comm\.([0-9+]+)\.', 1), '') AS tensors
  FROM replay_node()
),
edge AS (
  SELECT
    e.*, a.is_operator AS from_operator, b.is_operator AS to_operator,
    a.process AS from_process, b.process AS to_process, coalesce(a.tensors, b.tensors) AS tensors
  FROM replay_edge() AS e
  JOIN node AS a ON a.run_id = e.run_id AND a.node_id = e.from_id
  JOIN node AS b ON b.run_id = e.run_id AND b.node_id = e.to_id
),
tensor AS (
  SELECT t.run_id, t.tensor_id, t.tensors, n.node_id, n.process
  FROM dpro_tensor() AS t
  JOIN node AS n
    ON n.run_id = t.run_id AND n.kind = 'Comm' AND ends_with(n.name, '->Comm.' || t.tensor_id)
),
changed AS (
  SELECT run_id, from_id, to_id, delay_ns, kind, [0, ordinal] AS place, link_id, confidence
  FROM edge
  WHERE from_operator AND to_operator
  UNION ALL
  SELECT e.run_id, e.from_id, t.node_id, 0, 'control', [1, t.tensor_id, min(e.ordinal)], NULL, NULL
  FROM edge AS e
  JOIN tensor AS t ON t.run_id = e.run_id AND t.tensors = e.tensors AND t.process = e.from_process
  WHERE e.from_operator AND NOT e.to_operator
  GROUP BY e.run_id, e.from_id, t.node_id, t.tensor_id
  UNION ALL
  SELECT t.run_id, t.node_id, arg_min(e.to_id, e.ordinal), 0, 'control', [2, t.tensor_id, 0], NULL, NULL
  FROM edge AS e
  JOIN tensor AS t ON t.run_id = e.run_id AND t.tensors = e.tensors AND t.process = e.to_process
  WHERE e.to_operator AND NOT e.from_operator
  GROUP BY t.run_id, t.node_id, t.tensor_id
)
SELECT
  run_id,
  from_id,
  to_id,
  delay_ns::DOUBLE AS delay_ns,
  kind,
  row_number() OVER (PARTITION BY run_id ORDER BY place) - 1 AS ordinal,
  link_id,
  confidence
FROM changed
ORDER BY run_id, ordinal
