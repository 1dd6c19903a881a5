/* ---
name = "what_if_daydream"
version = 2
title = "What if: communication as Daydream models it"
help = """
The tensors of a group are sent one after another once the last of them is computed, each in the time
its bytes take at bytes_per_s; then the first operator that updates a weight of the group may run. Ranks
do not wait for each other; the stages of communication, and tensors without a recorded size take no part.
With the engine dpro, the times of the first rank are those of dPRO's replay of Daydream, which predicts no other.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=18", queries = ["dpro_tensor@1", "replay_edge@5", "replay_node@3"] }
scale = "run"
applies_to = "dPRO trials whose gradients update weights"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
default = 85000000000.0
min = 1
help = "Rate of the communication"

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts from 0 in a run" }
trace_id.nullable = true
kind.help = "operator; Comm: a tensor; dropped: takes no part"
name.nullable = false
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration after the change" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
bytes.help = "Bytes that a transfer moves"
slice_id = { nullable = true, help = "Slice that it stands for, or call that begins with it" }
track_id = { nullable = true, help = "Thread or stream" }

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
graph_size AS (
  SELECT run_id, max(node_id) + 1 AS n_nodes, max(order_key) + 1 AS order_key
  FROM node
  GROUP BY run_id
),
-- ranks, and what their communication runs on
communicator AS (
  SELECT
    run_id, process, any_value(trace_id) AS trace_id, any_value(rank) AS rank,
    min(resource_id) FILTER (kind = 'QUEUE') AS resource_id,
    row_number() OVER (PARTITION BY run_id ORDER BY process) - 1 AS n
  FROM node
  GROUP BY run_id, process
  HAVING bool_or(is_operator)
),
edge AS (
  SELECT
    e.run_id, e.from_id, e.to_id, e.ordinal, b.process, coalesce(a.tensors, b.tensors) AS tensors,
    a.is_operator AS from_operator, b.is_operator AS to_operator
  FROM replay_edge() AS e
  JOIN node AS a ON a.run_id = e.run_id AND a.node_id = e.from_id
  JOIN node AS b ON b.run_id = e.run_id AND b.node_id = e.to_id
),
tensor AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY run_id ORDER BY tensor_id) - 1 AS n,
    count(*) OVER (PARTITION BY run_id) AS n_tensors
  FROM dpro_tensor()
  WHERE bytes IS NOT NULL
),
-- operators that an edge of the result names
kept AS (
  SELECT run_id, from_id AS node_id FROM edge WHERE from_operator
  UNION
  SELECT run_id, to_id FROM edge WHERE from_operator AND to_operator
  UNION
  SELECT e.run_id, arg_min(e.to_id, e.ordinal)
  FROM edge AS e
  JOIN tensor AS t ON t.run_id = e.run_id AND t.tensors = e.tensors
  WHERE e.to_operator AND NOT e.from_operator
  GROUP BY e.run_id, e.process, e.tensors
),
marked AS (
  SELECT n.*, n.is_operator AND k.node_id IS NOT NULL AS is_kept
  FROM node AS n
  LEFT JOIN kept AS k ON k.run_id = n.run_id AND k.node_id = n.node_id
)
SELECT
  node_id, run_id, trace_id, rank,
  CASE WHEN is_kept THEN resource_id END AS resource_id,
  CASE WHEN is_kept THEN kind ELSE 'dropped' END AS kind,
  name,
  CASE WHEN is_kept THEN dur_ns ELSE 0 END AS dur_ns,
  CASE WHEN is_kept THEN gap_ns ELSE 0 END AS gap_ns,
  priority, order_key, NULL::BIGINT AS slot_id, bytes, release_ns, slice_id, track_id,
  measured_start_ns, measured_end_ns
FROM marked
UNION ALL
SELECT
  g.n_nodes + c.n * t.n_tensors + t.n, c.run_id, c.trace_id, c.rank, c.resource_id, 'Comm',
  c.process || '->Comm.' || t.tensor_id,
  t.bytes * 1e9 / $bytes_per_s::DOUBLE, 0, 100, g.order_key + t.n, NULL, t.bytes, 0,
  NULL, NULL, NULL, NULL
FROM communicator AS c
JOIN graph_size AS g ON g.run_id = c.run_id
JOIN tensor AS t ON t.run_id = c.run_id
ORDER BY run_id, node_id
