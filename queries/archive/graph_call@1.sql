/* ---
name = "graph_call"
version = 1
title = "Nodes of graphs as calls: who called whom, on which side, and for how long"
help = """
One row a node, of host traces, imported files and linked graphs alike. The parent is the node at the
other end of the first control edge. self_ns is what a node adds to a sum over all nodes: of device work
its duration; of a host node its own time, without that of its children. Where a graph does not
say that (it does in linked graphs), it is the duration less those of the host nodes directly below;
files of Chakra's protobuf hold times of that kind already. A node without a duration has NULL.
"""
grain = ["graph_node_id"]
requires = { schema = ">=8" }

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
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

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
name = "node_id"
type = "UBIGINT"
unit = "source id"
nullable = true
help = "Its number in the graph"

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
help = "Type of the node, where the graph says it, as COMP_NODE"

[[column]]
name = "thread_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "The thread, as the graph numbers threads"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The slice it is on the timeline"

[[column]]
name = "host_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "Whose inputs, outputs and attributes it has: itself, or in a linked graph the node of the execution trace"

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
help = "Duration, as the graph states it; not below 0"

[[column]]
name = "self_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Its own time, see above"

[changes]
1 = "first version"
--- */
WITH parent AS (
  SELECT to_node_id AS id, min_by(from_node_id, (ordinal, id)) AS parent_id
  FROM graph_edge
  WHERE kind = 'control' AND from_node_id <> to_node_id
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
