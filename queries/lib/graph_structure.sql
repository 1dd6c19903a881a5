/* ---
name = "graph_structure"
version = 1
title = "Signature and path digest of each graph node, equal for equal trees"
help = """
signature is a digest of the node's name and its input shapes and types; path is a digest of the
signatures from the root down to the node. Ids, values, times and file order have no effect, so two
recordings of the same program have the same paths the same number of times. Nodes that no root
leads to have no row. Parts of names that vary between runs are removed: step numbers
(ProfilerStep#5).
"""
grain = ["graph_node_id"]
requires = { schema = ">=11", queries = ["graph_call@2", "graph_io@2"] }
scale = "trace"
columns = [
  "graph_node_id", "trace_id", "graph_id", "parent_id", "side", "name", "input_shapes",
  "input_types", "self_ns", "depth", "signature", "path",
]

[column]
parent_id = { type = "BIGINT", unit = "ref graph_node.id", nullable = true, help = "Parent; NULL: a root" }
side = { type = "VARCHAR", unit = "text", help = "host or device" }
name = { nullable = false, help = "Name without step number" }
input_shapes.help = "Input shapes; none for device work"
input_types.help = "Input types; none for device work"
self_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Self time, see graph_call" }
depth.help = "Number of nodes above it"
signature = { type = "VARCHAR", unit = "text", help = "Digest of name, shapes and types" }
path.help = "Digest of the signatures from the root to the node"

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
