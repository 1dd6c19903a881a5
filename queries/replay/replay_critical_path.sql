/* ---
name = "replay_critical_path"
version = 1
title = "Critical path through the nodes of a replay, by the measured times"
help = """
From the node that ends last backwards, always to the one after which a node became ready last
(replay_edge). The path crosses ranks where the last to arrive at a collective delays the others. Of
timelines, whose nodes have measured times.
"""
grain = ["run_id", "place"]
requires = { schema = ">=17", queries = ["replay_cause@1", "replay_node@3"] }
scale = "run"
needs = "nodes with measured times, which those of dPRO trials do not have, as they are means of steps; `tw replay --as NAME` stores the path of a replay, which `tw query predicted_path --run NAME` returns"
columns = [
  "run_id", "place", "node_id", "trace_id", "rank", "kind", "name", "slice_id", "track_id", "start_ns", "dur_ns",
  "delay_ns", "cause_kind",
]

[column]
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place on the path; counts from 0" }
node_id = { type = "BIGINT", unit = "id", help = "Node (replay_node)" }
trace_id.nullable = true
kind.help = "As in replay_node"
slice_id.nullable = true
track_id.nullable = true
start_ns = { type = "DOUBLE", unit = "ns", help = "Measured start, in the time that the traces share" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration" }
delay_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Time from the end of the node before it on the path to its start; NULL: the first" }
cause_kind = { type = "VARCHAR", unit = "text", nullable = true, help = "Kind of the edge from that; NULL: the first" }

[changes]
1 = "first version"
--- */
WITH RECURSIVE cause AS MATERIALIZED (
  SELECT run_id, node_id, before_id, kind FROM replay_cause()
),
node AS MATERIALIZED (
  SELECT
    run_id, node_id, trace_id, rank, kind, name, slice_id, track_id, measured_start_ns AS start_ns,
    measured_end_ns AS end_ns, dur_ns
  FROM replay_node()
  WHERE measured_start_ns IS NOT NULL
),
-- The distance doubles each round: a path of a thousand nodes takes ten rounds.
walk AS (
  SELECT 0 AS round, false AS is_on_path, run_id, node_id, before_id
  FROM cause
  WHERE before_id IS NOT NULL
  UNION ALL
  SELECT 0 AS round, true AS is_on_path, run_id, max_by(node_id, (end_ns, node_id)), NULL
  FROM node
  GROUP BY run_id
  UNION ALL
  (
    SELECT a.round + 1, false, a.run_id, a.node_id, b.before_id
    FROM walk AS a
    JOIN walk AS b ON b.run_id = a.run_id AND b.node_id = a.before_id AND NOT b.is_on_path
    WHERE NOT a.is_on_path
    UNION ALL
    SELECT a.round + 1, true, a.run_id, a.node_id, NULL
    FROM walk AS a
    WHERE a.is_on_path AND EXISTS (FROM walk WHERE NOT is_on_path)
    UNION ALL
    SELECT a.round + 1, true, a.run_id, b.before_id, NULL
    FROM walk AS a
    JOIN walk AS b ON b.run_id = a.run_id AND b.node_id = a.node_id AND NOT b.is_on_path
    WHERE a.is_on_path
  )
),
on_path AS (
  SELECT DISTINCT run_id, node_id FROM walk WHERE is_on_path
)
SELECT
  n.run_id,
  row_number() OVER (PARTITION BY n.run_id ORDER BY n.node_id) - 1 AS place,
  n.node_id,
  n.trace_id,
  n.rank,
  n.kind,
  n.name,
  n.slice_id,
  n.track_id,
  n.start_ns,
  n.dur_ns,
  n.start_ns - b.end_ns AS delay_ns,
  c.kind AS cause_kind
FROM on_path AS o
JOIN node AS n ON n.run_id = o.run_id AND n.node_id = o.node_id
JOIN cause AS c ON c.run_id = o.run_id AND c.node_id = o.node_id
LEFT JOIN node AS b ON b.run_id = o.run_id AND b.node_id = c.before_id
ORDER BY n.run_id, place
