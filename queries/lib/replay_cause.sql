/* ---
name = "replay_cause"
version = 1
title = "What each node of a replay started after, by the measured times"
help = """
Of all nodes before it (replay_edge), the one that it became ready after last; of several the one with
the highest number. Nodes without measured times have no row.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_edge@5", "replay_node@3"] }
columns = ["run_id", "node_id", "before_id", "kind", "ready_ns"]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node" }
before_id = { type = "BIGINT", unit = "id", nullable = true, help = "Node that it started after; NULL: none" }
kind = { nullable = true, help = "Kind of the edge" }
ready_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "When it became ready" }

[changes]
1 = "first version"
--- */
WITH node AS (
  SELECT run_id, node_id, measured_end_ns FROM replay_node() WHERE measured_start_ns IS NOT NULL
)
SELECT
  n.run_id,
  n.node_id,
  max_by(e.from_id, (a.measured_end_ns + e.delay_ns, e.from_id)) AS before_id,
  max_by(e.kind, (a.measured_end_ns + e.delay_ns, e.from_id)) AS kind,
  max(a.measured_end_ns + e.delay_ns) AS ready_ns
FROM node AS n
LEFT JOIN replay_edge() AS e ON e.run_id = n.run_id AND e.to_id = n.node_id
LEFT JOIN node AS a ON a.run_id = n.run_id AND a.node_id = e.from_id
GROUP BY n.run_id, n.node_id
ORDER BY n.run_id, n.node_id
