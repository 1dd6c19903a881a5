/* ---
name = "graph_critical_path"
version = 1
title = "Critical path of each graph: the longest chain of dependent nodes"
help = """
The longest path by node self time over all dependencies (graph_dependency): data, sync, stream
order and group order, other threads, from a call to its device work, and call order on a thread. On
linked graphs it combines host and device time: a call that waited for device work counts without
the wait, and a call whose device work began before it ended counts up to that start. Imported .et
files have no start times, so both count in full there. A host execution trace has no times, so its
path is the chain with the most nodes. Launch delays and idle time belong to no node and are not on
the path; see critical_path for the timeline. A cyclic graph has no rows.
"""
grain = ["graph_id", "n"]
requires = { schema = ">=11", queries = ["graph_call@2", "graph_dependency@1", "graph_longest_path@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "graph_id", "graph_kind", "link_set", "n", "graph_node_id",
  "node_id", "name", "side", "edge_kind", "self_ns", "path_ns", "share",
]

[column]
n = { type = "BIGINT", unit = "count", check = ">= 0", help = "Position on the path, from 0" }
side.help = "host or device"
share.help = "self_ns / length of the whole path; NULL: the graph has no times"

[column.edge_kind]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Dependency that leads to the node on the path: thread_order, control, data, sync, inter_thread, stream_order, group_order; NULL: first node"

[column.self_ns]
nullable = true
help = "Contribution to the path: self time without waits and without overlap with the next node; NULL: the graph has no times"

[column.path_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Length of the path up to the end of this node; NULL: the graph has no times"

[changes]
1 = "first version"
--- */
WITH RECURSIVE longest AS MATERIALIZED (
  SELECT *, path_weight - weight AS begin_weight FROM graph_longest_path()
),
last AS MATERIALIZED (
  SELECT
    graph_id,
    min_by(graph_node_id, (-path_weight, graph_node_id)) AS graph_node_id,
    max(path_weight) AS path_weight
  FROM longest
  GROUP BY graph_id
),
-- The distance doubles each round: a path of a thousand nodes takes ten rounds.
walk AS (
  SELECT 0 AS round, false AS is_on_path, graph_node_id AS node, before_id
  FROM longest
  WHERE before_id IS NOT NULL
  UNION ALL
  SELECT 0, true, graph_node_id, NULL
  FROM last
  UNION ALL
  (
    SELECT a.round + 1, false, a.node, b.before_id
    FROM walk AS a
    JOIN walk AS b ON b.node = a.before_id AND NOT b.is_on_path
    WHERE NOT a.is_on_path
    UNION ALL
    SELECT a.round + 1, true, a.node, NULL
    FROM walk AS a
    WHERE a.is_on_path AND EXISTS (FROM walk WHERE NOT is_on_path)
    UNION ALL
    SELECT a.round + 1, true, b.before_id, NULL
    FROM walk AS a
    JOIN walk AS b ON b.node = a.node AND NOT b.is_on_path
    WHERE a.is_on_path
  )
),
on_path AS (
  SELECT
    l.*,
    coalesce(lead(begin_weight) OVER (PARTITION BY graph_id ORDER BY n_before), path_weight)
      AS end_weight
  FROM longest AS l
  WHERE graph_node_id IN (SELECT node FROM walk WHERE is_on_path)
)
SELECT
  c.run_id,
  c.trace_id,
  c.rank,
  c.graph_id,
  c.graph_kind,
  c.link_set,
  l.n_before AS n,
  c.graph_node_id,
  c.node_id,
  c.name,
  c.side,
  d.kind AS edge_kind,
  CASE WHEN l.is_timed THEN l.end_weight - l.begin_weight END AS self_ns,
  CASE WHEN l.is_timed THEN l.end_weight END AS path_ns,
  CASE WHEN l.is_timed THEN (l.end_weight - l.begin_weight) / nullif(e.path_weight, 0) END AS share
FROM on_path AS l
JOIN last AS e ON e.graph_id = l.graph_id
JOIN graph_call() AS c ON c.graph_node_id = l.graph_node_id
LEFT JOIN graph_dependency() AS d ON d.from_id = l.before_id AND d.to_id = l.graph_node_id
ORDER BY c.run_id, c.rank, c.trace_id, c.graph_id, n
