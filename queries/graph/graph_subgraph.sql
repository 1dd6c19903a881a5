/* ---
name = "graph_subgraph"
version = 1
title = "The nodes around one node of a graph, as far as so many edges lead"
help = """
Edges of all kinds are followed, from the root downwards (what depends on it), upwards (what it depends on), or both
ways, each on its own: not up and down again to what else its caller calls.
Without a root the roots of every graph are taken: those without a parent. tw export dot draws what this returns.
Host execution traces have only the edges from a call to those in it; imported .et and linked graphs
also dependencies.
"""
grain = ["graph_node_id"]
requires = { schema = ">=11", queries = ["graph_call@1", "graph_io@1"] }
portable = false

[param.root]
type = "BIGINT"
unit = "ref graph_node.id"
nullable = true
help = "Where to begin; null: at the roots"

[param.depth]
type = "BIGINT"
unit = "count"
default = 3
min = 0
max = 200
help = "How many edges to follow"

[param.direction]
type = "VARCHAR"
default = "down"
help = "down: to what depends on it; up: to what it depends on; both"

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "graph_id"
type = "BIGINT"
unit = "ref graph.id"
help = "The graph"

[[column]]
name = "graph_kind"
type = "VARCHAR"
unit = "text"
help = "execution_trace: recorded on the host; linked: that with device work; chakra: an imported .et"

[[column]]
name = "link_set"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Of a linked graph, by whose rules: default, chakra-1.0, ...; NULL: not linked"

[[column]]
name = "graph_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "The node"

[[column]]
name = "node_id"
type = "UBIGINT"
unit = "source id"
nullable = true
help = "Its number in the graph"

[[column]]
name = "distance"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Fewest edges from the root"

[[column]]
name = "side"
type = "VARCHAR"
unit = "text"
check = "IN ('host', 'device')"
help = "host or device"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "type"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Type of the node, where the graph says it"

[[column]]
name = "thread_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "The thread, as the graph numbers threads"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start, as the graph states it"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Duration, as the graph states it"

[[column]]
name = "input_shapes"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Shapes of the inputs"

[[column]]
name = "n_more"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Edges that lead on, away from the root, to nodes not among these"

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
