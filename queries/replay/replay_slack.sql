/* ---
name = "replay_slack"
version = 1
title = "How much later each node of a replay could end without delaying another"
help = """
By the measured times: the least time between its end, with the delay of the edge, and the start of a
node that depends on it (replay_edge); of a node on which nothing depends, until the end of its run.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_edge@5", "replay_node@3"] }
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
  SELECT
    run_id, node_id, trace_id, rank, kind, name, slice_id, dur_ns, measured_start_ns, measured_end_ns,
    max(measured_end_ns) OVER (PARTITION BY run_id) AS last_ns
  FROM replay_node()
  WHERE measured_start_ns IS NOT NULL
),
later AS (
  SELECT
    e.run_id, e.from_id AS node_id, e.to_id,
    greatest(b.measured_start_ns - e.delay_ns - a.measured_end_ns, 0) AS slack_ns
  FROM replay_edge() AS e
  JOIN node AS a ON a.run_id = e.run_id AND a.node_id = e.from_id
  JOIN node AS b ON b.run_id = e.run_id AND b.node_id = e.to_id
)
SELECT
  n.run_id,
  n.node_id,
  any_value(n.trace_id) AS trace_id,
  any_value(n.rank) AS rank,
  any_value(n.kind) AS kind,
  any_value(n.name) AS name,
  any_value(n.slice_id) AS slice_id,
  any_value(n.dur_ns) AS dur_ns,
  coalesce(min(l.slack_ns), any_value(n.last_ns) - any_value(n.measured_end_ns)) AS slack_ns,
  min_by(l.to_id, (l.slack_ns, l.to_id)) AS next_id
FROM node AS n
LEFT JOIN later AS l ON l.run_id = n.run_id AND l.node_id = n.node_id
GROUP BY n.run_id, n.node_id
ORDER BY n.run_id, n.node_id
