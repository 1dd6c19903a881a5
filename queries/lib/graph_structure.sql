/* ---
name = "graph_structure"
version = 1
title = "What every node of a graph is and under what it lies, as one text that equal trees share"
help = """
signature is a digest of a node's name and the shapes and types it takes; path one of the signatures from its root
down to it. Ids, values, times and file order play no part, so two recordings of the same program
have the same paths as often. Nodes that no root leads to have no row. Names lose what differs from run
to run: the number of a step (ProfilerStep#5).
"""
grain = ["graph_node_id"]
requires = { schema = ">=11", queries = ["graph_call@1", "graph_io@1"] }
portable = false

[[column]]
name = "graph_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "The node"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "graph_id"
type = "BIGINT"
unit = "ref graph.id"
help = "The graph"

[[column]]
name = "parent_id"
type = "BIGINT"
unit = "ref graph_node.id"
nullable = true
help = "Its parent; NULL: a root"

[[column]]
name = "side"
type = "VARCHAR"
unit = "text"
help = "host or device"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
help = "Its name, without a number of a step"

[[column]]
name = "input_shapes"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Shapes of the inputs; of device work none"

[[column]]
name = "input_types"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Types of the inputs; of device work none"

[[column]]
name = "self_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Its own time, see graph_call"

[[column]]
name = "depth"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Nodes above it"

[[column]]
name = "signature"
type = "VARCHAR"
unit = "text"
help = "Digest of name, shapes and types"

[[column]]
name = "path"
type = "VARCHAR"
unit = "text"
help = "Digest of the signatures from its root to it"

[changes]
1 = "first version"
--- */
WITH RECURSIVE node AS MATERIALIZED (
  SELECT
    c.graph_node_id,
    c.trace_id,
    c.graph_id,
    c.parent_id,
    c.side,
    regexp_replace(coalesce(c.name, ''), '^(ProfilerStep)#[0-9]+$', '\1') AS name,
    CASE WHEN c.side = 'host' THEN replace(i.input_shapes, ' ', '') END AS input_shapes,
    CASE WHEN c.side = 'host' THEN replace(i.input_types, ' ', '') END AS input_types,
    c.self_ns
  FROM graph_call() AS c
  JOIN graph_io() AS i ON i.graph_node_id = c.graph_node_id
),
signed AS MATERIALIZED (
  SELECT
    *,
    md5(concat_ws(E'\x1f', side, name, coalesce(input_shapes, ''), coalesce(input_types, ''))) AS signature
  FROM node
),
walk AS (
  SELECT graph_node_id, 0::BIGINT AS depth, md5(signature) AS path
  FROM signed
  WHERE parent_id IS NULL
  UNION ALL
  SELECT s.graph_node_id, w.depth + 1, md5(w.path || s.signature)
  FROM walk AS w
  JOIN signed AS s ON s.parent_id = w.graph_node_id
)
SELECT
  s.graph_node_id,
  s.trace_id,
  s.graph_id,
  s.parent_id,
  s.side,
  s.name,
  s.input_shapes,
  s.input_types,
  s.self_ns,
  w.depth,
  s.signature,
  w.path
FROM signed AS s
JOIN walk AS w ON w.graph_node_id = s.graph_node_id
ORDER BY s.graph_node_id
