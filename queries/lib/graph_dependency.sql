/* ---
name = "graph_dependency"
version = 1
title = "Graph dependencies, recorded or implied by thread order"
help = """
The edges of a graph without duplicates and self-loops. In graphs without recorded data edges, that
is, host execution traces and linked graphs, the calls of a thread run one after another: each host
node also depends on the preceding one on its thread, in order of node number, as in a converted .et
file; control edges between calls of one thread are redundant there and excluded.
"""
grain = ["from_id", "to_id"]
requires = { schema = ">=11" }
scale = "trace"
columns = ["trace_id", "graph_id", "from_id", "to_id", "kind"]

[column]
from_id = { type = "BIGINT", unit = "ref graph_node.id", help = "Node that comes first" }
to_id = { type = "BIGINT", unit = "ref graph_node.id", help = "Node that depends on it" }

[column.kind]
help = "Kind of the edge, or thread_order; of several the first of sync, data, inter_thread, stream_order, group_order, thread_order, control, others"

[changes]
1 = "first version"
--- */
WITH unordered AS (
  SELECT g.id
  FROM graph AS g
  ANTI JOIN (SELECT graph_id FROM graph_edge WHERE kind = 'data') AS e ON e.graph_id = g.id
),
host AS (
  SELECT
    n.id,
    n.trace_id,
    n.graph_id,
    n.thread_id,
    n.node_id,
    lag(n.id) OVER (PARTITION BY n.graph_id, n.thread_id ORDER BY n.node_id, n.id) AS before_id
  FROM graph_node AS n
  JOIN unordered AS u ON u.id = n.graph_id
  WHERE coalesce(n.device_kind, 'cpu') = 'cpu' AND n.thread_id IS NOT NULL
),
edge AS (
  SELECT
    trace_id,
    graph_id,
    from_node_id AS from_id,
    to_node_id AS to_id,
    kind,
    coalesce(
      array_position(
        ['sync', 'data', 'inter_thread', 'stream_order', 'group_order', 'thread_order', 'control'],
        kind
      ),
      8
    ) AS preference
  FROM graph_edge
  WHERE from_node_id <> to_node_id
  UNION ALL
  SELECT trace_id, graph_id, before_id, id, 'thread_order', 6
  FROM host
  WHERE before_id IS NOT NULL
)
SELECT
  e.trace_id,
  e.graph_id,
  e.from_id,
  e.to_id,
  min_by(e.kind, (e.preference, e.kind)) AS kind
FROM edge AS e
LEFT JOIN host AS a ON a.id = e.from_id AND e.kind = 'control'
LEFT JOIN host AS b ON b.id = e.to_id AND e.kind = 'control'
WHERE e.kind <> 'control'
  OR a.thread_id IS NULL
  OR b.thread_id IS NULL
  OR a.thread_id <> b.thread_id
  OR (a.node_id, a.id) > (b.node_id, b.id)
GROUP BY e.trace_id, e.graph_id, e.from_id, e.to_id
ORDER BY from_id, to_id
