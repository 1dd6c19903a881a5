/* ---
name = "replay_cause"
version = 2
title = "What each node of a replay started after, by the measured times"
help = """
Of all nodes before it (replay_edge), the one that it became ready after last; of several the one with
the highest number, and of several edges from that the one whose kind is last in the alphabet. Nodes
without measured times have no row.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_measured_edge@1", "replay_measured_node@1"] }
columns = ["run_id", "node_id", "before_id", "kind", "ready_ns"]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node" }
before_id = { type = "BIGINT", unit = "id", nullable = true, help = "Node that it started after; NULL: none" }
kind = { nullable = true, help = "Kind of the edge" }
ready_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "When it became ready" }

[changes]
2 = "of several edges between two nodes the kind is chosen by a rule"
1 = "first version"
--- */
WITH node AS (
  SELECT run_id, node_id, end_ns FROM replay_measured_node()
),
edge AS MATERIALIZED (
  SELECT e.run_id, e.to_id AS node_id, e.from_id AS before_id, e.kind, a.end_ns + e.delay_ns AS ready_ns
  FROM replay_measured_edge() AS e
  JOIN node AS a ON a.run_id = e.run_id AND a.node_id = e.from_id
),
-- Step by step: the largest of tuples, one for each of millions of nodes, would not fit into limited memory.
last_time AS MATERIALIZED (
  SELECT run_id, node_id, max(ready_ns) AS ready_ns FROM edge GROUP BY run_id, node_id
),
last_node AS MATERIALIZED (
  SELECT e.run_id, e.node_id, e.ready_ns, max(e.before_id) AS before_id
  FROM edge AS e
  JOIN last_time AS t ON t.run_id = e.run_id AND t.node_id = e.node_id AND t.ready_ns = e.ready_ns
  GROUP BY e.run_id, e.node_id, e.ready_ns
),
last_edge AS MATERIALIZED (
  SELECT e.run_id, e.node_id, e.ready_ns, e.before_id, max(e.kind) AS kind
  FROM edge AS e
  JOIN last_node AS b
    ON b.run_id = e.run_id AND b.node_id = e.node_id AND b.ready_ns = e.ready_ns AND b.before_id = e.before_id
  GROUP BY e.run_id, e.node_id, e.ready_ns, e.before_id
)
SELECT n.run_id, n.node_id, e.before_id, e.kind, e.ready_ns
FROM node AS n
LEFT JOIN last_edge AS e ON e.run_id = n.run_id AND e.node_id = n.node_id
