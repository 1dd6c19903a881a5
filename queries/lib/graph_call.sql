/* ---
name = "graph_call"
version = 2
title = "Graph nodes as calls: parent, side and duration"
help = """
One row per node of host traces, imported files and linked graphs. The parent is the node at the
other end of the first control edge. self_ns is what a node contributes to a sum over all nodes: the
duration of device work, the self time of host nodes. Where a graph does not record self time
(linked graphs do), it is the duration minus those of the host nodes directly below; Chakra's
protobuf files record self times as durations. NULL for nodes without a duration.
"""
grain = ["graph_node_id"]
requires = { schema = ">=8" }
scale = "trace"
columns = [
  "graph_node_id", "trace_id", "run_id", "rank", "graph_id", "graph_kind", "link_set", "node_id",
  "parent_id", "side", "name", "type", "thread_id", "slice_id", "host_node_id", "start_ns",
  "dur_ns", "self_ns",
]

[param.graph_id]
type = "BIGINT"
unit = "ref graph.id"
nullable = true
help = "Restrict to the nodes of this graph"

[column]
parent_id = { type = "BIGINT", unit = "ref graph_node.id", nullable = true, help = "Parent; NULL: a root" }
side.help = "host or device"
type.help = "Node type, if recorded, as COMP_NODE"
slice_id = { nullable = true, help = "Slice on the timeline" }
start_ns = { nullable = true, help = "Recorded start" }
dur_ns = { nullable = true, help = "Recorded duration; not below 0" }
self_ns = { nullable = true, help = "Self time" }

[column.host_node_id]
type = "BIGINT"
unit = "ref graph_node.id"
help = "Node with its inputs, outputs and attributes: itself, or in a linked graph the node of the execution trace"

[changes]
1 = "first version"
2 = "new parameter graph_id"
--- */
WITH parent AS (
  SELECT to_node_id AS id, min_by(from_node_id, (ordinal, id)) AS parent_id
  FROM graph_edge
  WHERE kind = 'control'
    AND from_node_id <> to_node_id
    AND ($graph_id::BIGINT IS NULL OR graph_id = $graph_id::BIGINT)
  GROUP BY to_node_id
),
inside AS (
  SELECT p.parent_id AS id, sum(n.dur_ns) AS dur_ns
  FROM graph_node AS n
  JOIN parent AS p ON p.id = n.id
  WHERE n.exclusive_us IS NULL AND n.dur_ns > 0 AND coalesce(n.device_kind, 'cpu') = 'cpu'
  GROUP BY p.parent_id
)
SELECT
  n.id AS graph_node_id,
  n.trace_id,
  t.run_id,
  t.rank,
  n.graph_id,
  g.kind AS graph_kind,
  g.link_set,
  n.node_id,
  p.parent_id,
  CASE WHEN coalesce(n.device_kind, 'cpu') = 'cpu' THEN 'host' ELSE 'device' END AS side,
  n.name,
  n.type,
  n.thread_id,
  n.slice_id,
  CASE WHEN n.inputs_json IS NULL THEN coalesce(n.of_node_id, n.id) ELSE n.id END AS host_node_id,
  n.start_ns,
  CASE WHEN n.dur_ns IS NOT NULL THEN greatest(n.dur_ns, 0) END AS dur_ns,
  CASE
    WHEN n.dur_ns IS NULL THEN NULL
    WHEN coalesce(n.device_kind, 'cpu') <> 'cpu' OR g.kind = 'chakra' THEN greatest(n.dur_ns, 0)
    WHEN n.exclusive_us IS NOT NULL THEN greatest(round(n.exclusive_us * 1000), 0)::BIGINT
    ELSE greatest(n.dur_ns - coalesce(i.dur_ns, 0), 0)::BIGINT
  END AS self_ns
FROM graph_node AS n
JOIN graph AS g ON g.id = n.graph_id
JOIN trace AS t ON t.id = n.trace_id
LEFT JOIN parent AS p ON p.id = n.id
LEFT JOIN inside AS i ON i.id = n.id
WHERE $graph_id::BIGINT IS NULL OR n.graph_id = $graph_id::BIGINT
