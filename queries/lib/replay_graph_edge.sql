/* ---
name = "replay_graph_edge"
version = 1
title = "Dependencies between the nodes of a replay of graphs"
help = """
Those of graph_dependency. Device work, or work of another thread, that began before the call it
depends on had ended comes earlier than the end of that by the overlap, as in graph_longest_path.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", rows = ["graph_node"], queries = ["graph_dependency@1", "replay_graph_node@1"] }
scale = "run"
computed_once = true
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind"]

[column]
from_id.help = "Node that comes first"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start; negative: the overlap of a call and what it started" }
kind.help = "thread_order, stream_order, launch, wait, hand_over, data, control, group_order, arrive, peer or end"

[changes]
1 = "first version"
--- */
WITH node AS MATERIALIZED (
  SELECT node_id, run_id, trace_id, role, kind, graph_node_id, dur_ns, start_ns, end_ns, instance_id
  FROM replay_graph_node()
),
first_of AS MATERIALIZED (
  SELECT * FROM node WHERE role IN ('work', 'arrival')
),
last_of AS MATERIALIZED (
  SELECT * FROM node WHERE role IN ('work', 'transfer')
),
-- host traces name the thread that calls gloo for what runs on threads of gloo
host AS (
  SELECT
    n.id, starts_with(coalesce(n.name, ''), 'gloo:') AS is_elsewhere,
    last_value(CASE WHEN NOT starts_with(coalesce(n.name, ''), 'gloo:') THEN n.id END IGNORE NULLS) OVER (
      PARTITION BY n.graph_id, n.thread_id ORDER BY n.node_id, n.id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS caller_id
  FROM graph_node AS n
  WHERE coalesce(n.device_kind, 'cpu') = 'cpu' AND n.thread_id IS NOT NULL
    AND n.id IN (SELECT graph_node_id FROM node)
    AND n.graph_id NOT IN (SELECT graph_id FROM graph_edge WHERE kind = 'data')
),
dependency AS MATERIALIZED (
  SELECT d.from_id, d.to_id, d.kind
  FROM graph_dependency() AS d
  WHERE d.kind <> 'thread_order'
  UNION ALL
  SELECT h.caller_id, h.id, CASE WHEN h.is_elsewhere THEN 'inter_thread' ELSE 'thread_order' END
  FROM host AS h
  ANTI JOIN graph_dependency() AS d
    ON d.from_id = h.caller_id AND d.to_id = h.id AND d.kind <> 'thread_order'
  WHERE h.caller_id IS NOT NULL
),
edge AS (
  SELECT
    a.run_id,
    a.node_id AS from_id,
    b.node_id AS to_id,
    CASE WHEN d.kind IN ('control', 'inter_thread') AND a.end_ns > b.start_ns
      THEN -least(a.end_ns - b.start_ns, a.dur_ns) ELSE 0
    END::DOUBLE AS delay_ns,
    CASE d.kind
      WHEN 'sync' THEN 'wait'
      WHEN 'inter_thread' THEN 'hand_over'
      WHEN 'control' THEN CASE WHEN a.kind = 'host' AND b.kind <> 'host' THEN 'launch' ELSE 'control' END
      ELSE d.kind
    END AS kind
  FROM dependency AS d
  JOIN last_of AS a ON a.graph_node_id = d.from_id
  JOIN first_of AS b ON b.graph_node_id = d.to_id
  UNION ALL
  SELECT a.run_id, a.node_id, b.node_id, 0, 'arrive'
  FROM node AS a
  JOIN node AS b ON b.run_id = a.run_id AND b.instance_id = a.instance_id AND b.role = 'barrier'
  WHERE a.role = 'arrival'
  UNION ALL
  SELECT b.run_id, b.node_id, a.node_id, 0, 'peer'
  FROM node AS a
  JOIN node AS b ON b.run_id = a.run_id AND b.instance_id = a.instance_id AND b.role = 'barrier'
  WHERE a.role = 'transfer'
  UNION ALL
  SELECT a.run_id, a.node_id, e.node_id, 0, 'end'
  FROM node AS e
  JOIN last_of AS a ON a.trace_id = e.trace_id
  ANTI JOIN dependency AS d ON d.from_id = a.graph_node_id
  WHERE e.role = 'end'
)
SELECT run_id, from_id, to_id, delay_ns, kind
FROM edge
ORDER BY run_id, from_id, to_id, kind
