/* ---
name = "memory_call"
version = 1
title = "Calls of graphs in the order of memory, with the device work they launched"
help = """
Host nodes of graphs by their place in the order of node numbers, which memory_by_tensor_lifetime counts in;
device work has the place of the call that launched it. An operator writes its arguments if its schema says so
(Tensor(a!)), without a schema if its name ends with _.
"""
grain = ["graph_node_id"]
requires = { schema = ">=11", queries = ["graph_call@2"] }
scale = "trace"
computed_once = true
columns = [
  "run_id", "trace_id", "rank", "graph_id", "graph_kind", "link_set", "graph_node_id", "parent_id",
  "side", "place", "name", "is_operator", "is_writer", "self_ns", "slice_id",
]

[column]
graph_node_id.help = "Call, or device work"
parent_id = { type = "BIGINT", unit = "ref graph_node.id", nullable = true, help = "Call around it, or that launched it; NULL: none" }
side.help = "Where it runs"
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Position among the host nodes of the graph, from 0" }
is_operator = { type = "BOOLEAN", unit = "bool", help = "Whether it has a schema" }
is_writer = { type = "BOOLEAN", unit = "bool", help = "Whether it writes arguments in place" }
self_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Duration without calls inside; NULL: unknown" }
slice_id = { nullable = true, help = "Slice of the call or the work; NULL: no timeline" }

[changes]
1 = "first version"
--- */
WITH host AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY graph_id ORDER BY node_id, graph_node_id) - 1 AS place
  FROM graph_call()
  WHERE side = 'host'
)
SELECT
  h.run_id, h.trace_id, h.rank, h.graph_id, h.graph_kind, h.link_set, h.graph_node_id, h.parent_id, h.side, h.place, h.name,
  coalesce(n.op_schema, '') <> '' AS is_operator,
  CASE WHEN coalesce(n.op_schema, '') <> '' THEN contains(n.op_schema, '!)') ELSE coalesce(ends_with(h.name, '_'), false) END AS is_writer,
  h.self_ns, h.slice_id
FROM host AS h
JOIN graph_node AS n ON n.id = h.graph_node_id
UNION ALL
SELECT
  d.run_id, d.trace_id, d.rank, d.graph_id, d.graph_kind, d.link_set, d.graph_node_id, d.parent_id, d.side, h.place, d.name,
  false, false, d.self_ns, d.slice_id
FROM graph_call() AS d
JOIN host AS h ON h.graph_node_id = d.parent_id
WHERE d.side = 'device'
ORDER BY graph_node_id
