/* ---
name = "replay_slack"
version = 1
title = "How much later each node of a replay could end without delaying another"
help = """
By the measured times: the least time between its end, with the delay of the edge, and the start of a
node that depends on it (replay_edge); of a node on which nothing depends, until the end of its run.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_measured_edge@1", "replay_measured_node@1"] }
scale = "run"
needs = "nodes with measured times, which those of dPRO trials do not have, as they are means of steps"
columns = ["run_id", "node_id", "trace_id", "rank", "kind", "name", "slice_id", "dur_ns", "slack_ns", "next_id"]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node (replay_node)" }
trace_id.nullable = true
kind.help = "As in replay_node"
slice_id.nullable = true
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration" }
slack_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "How much later it could end" }
next_id = { type = "BIGINT", unit = "id", nullable = true, help = "Node that would be delayed first; NULL: none depends on it" }

[changes]
1 = "first version"
--- */
WITH node AS MATERIALIZED (
  SELECT run_id, node_id, start_ns, end_ns FROM replay_measured_node()
),
later AS MATERIALIZED (
  SELECT run_id, node_id, min(slack_ns) AS slack_ns, min_by(to_id, (slack_ns, to_id)) AS next_id
  FROM (
    SELECT e.run_id, e.from_id AS node_id, e.to_id, greatest(b.start_ns - e.delay_ns - a.end_ns, 0) AS slack_ns
    FROM replay_measured_edge() AS e
    JOIN node AS a ON a.run_id = e.run_id AND a.node_id = e.from_id
    JOIN node AS b ON b.run_id = e.run_id AND b.node_id = e.to_id
  )
  GROUP BY run_id, node_id
)
SELECT
  n.run_id,
  n.node_id,
  n.trace_id,
  n.rank,
  n.kind,
  n.name,
  n.slice_id,
  n.dur_ns,
  coalesce(l.slack_ns, e.last_ns - n.end_ns) AS slack_ns,
  l.next_id
FROM replay_measured_node() AS n
JOIN (SELECT run_id, max(end_ns) AS last_ns FROM node GROUP BY run_id) AS e ON e.run_id = n.run_id
LEFT JOIN later AS l ON l.run_id = n.run_id AND l.node_id = n.node_id
ORDER BY n.run_id, n.node_id
