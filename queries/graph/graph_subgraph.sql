/* ---
name = "graph_subgraph"
version = 1
title = "Nodes within a number of edges from a graph node"
help = """
Follows edges of all kinds from the root: down (to dependents), up (to dependencies), or both. Each
direction is followed separately, so siblings are not reached by going up and down again. Without a
root, starts at the roots of every graph: nodes without a parent. `tw export dot` draws the result.
Host execution traces only have edges from a call to the calls inside it; imported .et files and
linked graphs also have dependencies.
"""
grain = ["graph_node_id"]
requires = { schema = ">=11", queries = ["graph_call@2", "graph_io@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "graph_id", "graph_kind", "link_set", "graph_node_id", "node_id",
  "distance", "side", "name", "type", "thread_id", "start_ns", "dur_ns", "input_shapes", "n_more",
]

[param.root]
type = "BIGINT"
unit = "ref graph_node.id"
nullable = true
help = "Node to start from; null: the roots"

[param.depth]
type = "BIGINT"
unit = "count"
default = 3
min = 0
max = 200
help = "Number of edges to follow"

[param.direction]
type = "VARCHAR"
default = "down"
help = "down: to nodes that depend on it; up: to nodes it depends on; both"

[column]
side.help = "host or device"
type.help = "Node type, if recorded"
start_ns = { nullable = true, help = "Recorded start" }
dur_ns = { nullable = true, help = "Recorded duration" }

[column.distance]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of edges on the shortest path from the root"

[column.n_more]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of edges that lead on, away from the root, to nodes outside the result"

[changes]
1 = "first version"
--- */
WITH RECURSIVE step_to AS MATERIALIZED (
  SELECT 'down' AS direction, from_node_id AS node, to_node_id AS next
  FROM graph_edge
  WHERE $direction::VARCHAR IN ('down', 'both') AND from_node_id <> to_node_id
  UNION
  SELECT 'up', to_node_id, from_node_id
  FROM graph_edge
  WHERE $direction::VARCHAR IN ('up', 'both') AND from_node_id <> to_node_id
),
root AS (
  SELECT c.graph_node_id AS node
  FROM graph_call() AS c
  WHERE CASE
    WHEN $root::BIGINT IS NULL THEN c.parent_id IS NULL
    ELSE c.graph_node_id = $root::BIGINT
  END
),
walk AS (
  SELECT r.node, d.direction, 0::BIGINT AS distance
  FROM root AS r
  CROSS JOIN (SELECT 'down' AS direction UNION ALL SELECT 'up') AS d
  UNION
  SELECT s.next, w.direction, w.distance + 1
  FROM walk AS w
  JOIN step_to AS s ON s.node = w.node AND s.direction = w.direction
  WHERE w.distance < $depth::BIGINT
),
way AS MATERIALIZED (
  SELECT node, direction, min(distance) AS distance FROM walk GROUP BY node, direction
),
reached AS MATERIALIZED (
  SELECT node, min(distance) AS distance FROM way GROUP BY node
),
cut AS (
  SELECT s.node, count(*) AS n_more
  FROM step_to AS s
  JOIN way AS r ON r.node = s.node AND r.direction = s.direction
  ANTI JOIN reached AS o ON o.node = s.next
  GROUP BY s.node
)
SELECT
  c.run_id,
  c.trace_id,
  c.rank,
  c.graph_id,
  c.graph_kind,
  c.link_set,
  c.graph_node_id,
  c.node_id,
  r.distance,
  c.side,
  c.name,
  c.type,
  c.thread_id,
  c.start_ns,
  c.dur_ns,
  i.input_shapes,
  coalesce(u.n_more, 0) AS n_more
FROM graph_call() AS c
JOIN reached AS r ON r.node = c.graph_node_id
JOIN graph_io() AS i ON i.graph_node_id = c.graph_node_id
LEFT JOIN cut AS u ON u.node = c.graph_node_id
ORDER BY c.run_id, c.rank, c.trace_id, c.graph_id, r.distance, c.node_id, c.graph_node_id
