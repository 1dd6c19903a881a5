/* ---
name = "graph_summary"
version = 1
title = "Contents of each graph: nodes, edges, depth, threads, tensors and linked nodes"
help = """
One row per graph. Host execution traces have calls and tensors, imported .et files node types and
dependencies, linked graphs device work and times; what a graph does not have is 0. A host node is
linked if it has a duration of its own or a slice; linked_share excludes the process, thread and
group nodes, which no timeline contains. host_ns sums the self time of host nodes, so it counts each
moment of a thread once.
"""
grain = ["graph_id"]
requires = { schema = ">=8", queries = ["graph_call@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "graph_id", "graph_kind", "link_set", "format_version", "n_nodes",
  "n_host_nodes", "n_device_nodes", "n_compute_nodes", "n_collective_nodes", "n_send_nodes",
  "n_receive_nodes", "n_metadata_nodes", "n_roots", "depth", "n_threads", "n_edges",
  "n_control_edges", "n_data_edges", "n_sync_edges", "n_inter_thread_edges", "n_order_edges",
  "n_tensors", "n_storages", "n_linked_nodes", "linked_share", "host_ns", "device_ns",
]

[column]
n_nodes = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of nodes" }
n_host_nodes = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of host nodes" }
n_device_nodes = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of device nodes" }
n_compute_nodes = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of nodes of type COMP_NODE" }
n_send_nodes = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of nodes of type COMM_SEND_NODE" }
n_receive_nodes = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of nodes of type COMM_RECV_NODE" }
n_metadata_nodes = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of nodes of type METADATA_NODE" }
n_roots = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of nodes without a parent" }
depth.help = "Longest path of control edges down from a root, in nodes; excludes nodes in cycles"
n_threads = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of host threads" }
n_edges = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of edges" }
n_control_edges = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of edges of kind control" }
n_data_edges = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of edges of kind data" }
n_sync_edges = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of edges of kind sync" }
n_tensors = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of distinct tensor ids" }
n_storages = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of storages of the tensors" }
host_ns.help = "Self time of host nodes; NULL: unknown"
device_ns = { nullable = true, help = "Sum of the durations of device work; NULL: unknown" }

[column.format_version]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Schema version recorded in the source file"

[column.n_collective_nodes]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of nodes of type COMM_COLL_NODE"

[column.n_inter_thread_edges]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of edges of kind inter_thread"

[column.n_order_edges]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of edges of kinds stream_order and group_order"

[column.n_linked_nodes]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of host nodes with a duration or a slice"

[column.linked_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "n_linked_nodes / host nodes that are calls; NULL: no such node"

[changes]
1 = "first version"
--- */
WITH RECURSIVE call AS MATERIALIZED (
  SELECT
    *,
    side = 'host' AND coalesce(name, '') NOT LIKE '[pytorch|profiler|execution\_%' ESCAPE '\'
      AND NOT contains(coalesce(name, ''), 'process_group:init') AS is_call
  FROM graph_call()
),
walk AS (
  SELECT graph_id, graph_node_id, 1::BIGINT AS depth
  FROM call
  WHERE parent_id IS NULL
  UNION ALL
  SELECT c.graph_id, c.graph_node_id, w.depth + 1
  FROM walk AS w
  JOIN call AS c ON c.parent_id = w.graph_node_id
),
deepest AS (
  SELECT graph_id, max(depth) AS depth FROM walk GROUP BY graph_id
),
node AS (
  SELECT
    graph_id,
    count(*) AS n_nodes,
    count(*) FILTER (side = 'host') AS n_host_nodes,
    count(*) FILTER (side = 'device') AS n_device_nodes,
    count(*) FILTER (type = 'COMP_NODE') AS n_compute_nodes,
    count(*) FILTER (type = 'COMM_COLL_NODE') AS n_collective_nodes,
    count(*) FILTER (type = 'COMM_SEND_NODE') AS n_send_nodes,
    count(*) FILTER (type = 'COMM_RECV_NODE') AS n_receive_nodes,
    count(*) FILTER (type = 'METADATA_NODE') AS n_metadata_nodes,
    count(*) FILTER (parent_id IS NULL) AS n_roots,
    count(DISTINCT thread_id) FILTER (is_call) AS n_threads,
    count(*) FILTER (is_call) AS n_calls,
    count(*) FILTER (is_call AND (dur_ns > 0 OR slice_id IS NOT NULL)) AS n_linked_nodes,
    sum(self_ns) FILTER (side = 'host')::BIGINT AS host_ns,
    sum(self_ns) FILTER (side = 'device')::BIGINT AS device_ns
  FROM call
  GROUP BY graph_id
),
edge AS (
  SELECT
    graph_id,
    count(*) AS n_edges,
    count(*) FILTER (kind = 'control') AS n_control_edges,
    count(*) FILTER (kind = 'data') AS n_data_edges,
    count(*) FILTER (kind = 'sync') AS n_sync_edges,
    count(*) FILTER (kind = 'inter_thread') AS n_inter_thread_edges,
    count(*) FILTER (kind IN ('stream_order', 'group_order')) AS n_order_edges
  FROM graph_edge
  GROUP BY graph_id
),
memory AS (
  SELECT graph_id, count(DISTINCT tensor_id) AS n_tensors, count(DISTINCT storage_id) AS n_storages
  FROM tensor
  GROUP BY graph_id
)
SELECT
  t.run_id,
  t.id AS trace_id,
  t.rank,
  g.id AS graph_id,
  g.kind AS graph_kind,
  g.link_set,
  g.format_version,
  coalesce(n.n_nodes, 0) AS n_nodes,
  coalesce(n.n_host_nodes, 0) AS n_host_nodes,
  coalesce(n.n_device_nodes, 0) AS n_device_nodes,
  coalesce(n.n_compute_nodes, 0) AS n_compute_nodes,
  coalesce(n.n_collective_nodes, 0) AS n_collective_nodes,
  coalesce(n.n_send_nodes, 0) AS n_send_nodes,
  coalesce(n.n_receive_nodes, 0) AS n_receive_nodes,
  coalesce(n.n_metadata_nodes, 0) AS n_metadata_nodes,
  coalesce(n.n_roots, 0) AS n_roots,
  coalesce(d.depth, 0) AS depth,
  coalesce(n.n_threads, 0) AS n_threads,
  coalesce(e.n_edges, 0) AS n_edges,
  coalesce(e.n_control_edges, 0) AS n_control_edges,
  coalesce(e.n_data_edges, 0) AS n_data_edges,
  coalesce(e.n_sync_edges, 0) AS n_sync_edges,
  coalesce(e.n_inter_thread_edges, 0) AS n_inter_thread_edges,
  coalesce(e.n_order_edges, 0) AS n_order_edges,
  coalesce(m.n_tensors, 0) AS n_tensors,
  coalesce(m.n_storages, 0) AS n_storages,
  coalesce(n.n_linked_nodes, 0) AS n_linked_nodes,
  n.n_linked_nodes / nullif(n.n_calls, 0) AS linked_share,
  n.host_ns,
  n.device_ns
FROM graph AS g
JOIN trace AS t ON t.id = g.trace_id
LEFT JOIN node AS n ON n.graph_id = g.id
LEFT JOIN deepest AS d ON d.graph_id = g.id
LEFT JOIN edge AS e ON e.graph_id = g.id
LEFT JOIN memory AS m ON m.graph_id = coalesce(g.of_graph_id, g.id)
ORDER BY t.run_id, t.rank, t.id, g.id
