/* ---
name = "memory_node"
version = 2
title = "Nodes of replays by the calls of graphs with tensors that they stand for"
help = """
The graph whose storages a replay knows: that which is replayed, or, of a timeline, one that is linked with
it. A call stands on the piece of its thread in which it begins, device work on its own node.
"""
grain = ["graph_node_id"]
requires = { schema = ">=17", queries = ["memory_call@1", "memory_use@1", "replay_graph_node@1", "replay_timeline_node@1", "replay_trace@1"] }
scale = "run"
computed_once = true
columns = ["run_id", "node_id", "graph_id", "graph_node_id", "side", "place", "self_ns"]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node (replay_node)" }
graph_node_id.help = "Call, or device work"
side.help = "Where it runs"
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Position of the call among the host nodes of the graph, from 0" }
self_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Duration without calls inside; NULL: unknown" }

[changes]
2 = "of nodes of a thread that begin at one time, the last"
1 = "first version"
--- */
WITH call AS MATERIALIZED (
  SELECT c.*
  FROM memory_call() AS c
  WHERE c.graph_id IN (SELECT graph_id FROM memory_use())
),
piece AS (
  SELECT run_id, track_id, max(node_id) AS node_id, start_ns
  FROM replay_timeline_node()
  WHERE role = 'piece'
  GROUP BY run_id, track_id, start_ns
),
begun AS (
  SELECT c.*, s.track_id, s.ts + t.shift_ns + round(t.drift * s.ts)::BIGINT AS start_ns
  FROM call AS c
  JOIN whole_slice AS s ON s.id = c.slice_id
  JOIN replay_trace() AS t ON t.trace_id = s.trace_id
  WHERE c.side = 'host' AND c.graph_kind = 'linked' AND c.link_set = 'default'
)
SELECT n.run_id, n.node_id, c.graph_id, c.graph_node_id, c.side, c.place, c.self_ns
FROM replay_graph_node() AS n
JOIN call AS c ON c.graph_node_id = n.graph_node_id
WHERE n.role IN ('work', 'transfer')
UNION ALL
SELECT n.run_id, n.node_id, c.graph_id, c.graph_node_id, c.side, c.place, c.self_ns
FROM replay_timeline_node() AS n
JOIN call AS c ON c.slice_id = n.slice_id AND c.side = 'device' AND c.graph_kind = 'linked' AND c.link_set = 'default'
WHERE n.role IN ('work', 'transfer')
UNION ALL
SELECT p.run_id, p.node_id, b.graph_id, b.graph_node_id, b.side, b.place, b.self_ns
FROM begun AS b
ASOF JOIN piece AS p ON p.track_id = b.track_id AND p.start_ns <= b.start_ns
ORDER BY graph_node_id
