/* ---
name = "replay_timeline_edge"
version = 1
title = "Dependencies between the nodes of a replay of timelines"
help = """
Delays of launches and between work of a stream are those of replay_constant; of work on threads of a
communication library they are part of the nodes.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", queries = ["replay_awaited@1", "replay_constant@1", "replay_timeline_node@1", "replay_wait@1", "replay_work@1", "replay_piece@1"] }
scale = "run"
computed_once = true
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "link_id", "confidence"]

[column]
from_id.help = "Node that comes first"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start; negative where a thread went on before the record of what it waited for ended" }
link_id = { type = "BIGINT", unit = "ref link.id", nullable = true, help = "Link that says so" }
kind.help = "thread_order, stream_order, launch, event_wait, wait, hand_over, arrive, peer or end"

[changes]
1 = "first version"
--- */
WITH node AS MATERIALIZED (
  SELECT node_id, run_id, trace_id, role, track_id, device_id, slice_id, end_ns, instance_id
  FROM replay_timeline_node()
),
-- Pieces by the end in the time of their trace.
piece AS MATERIALIZED (
  SELECT n.node_id, n.run_id, n.trace_id, n.track_id, p.end_ns
  FROM (
    SELECT *, row_number() OVER (PARTITION BY track_id ORDER BY node_id) AS place
    FROM node
    WHERE role = 'piece'
  ) AS n
  JOIN (
    SELECT track_id, end_ns, row_number() OVER (PARTITION BY track_id ORDER BY end_ns) AS place
    FROM replay_piece()
  ) AS p ON p.track_id = n.track_id AND p.place = n.place
),
-- What begins and what ends the work of a slice: collectives of several ranks are two nodes.
first_of AS MATERIALIZED (
  SELECT slice_id, node_id, run_id, trace_id, device_id
  FROM node
  WHERE role = 'arrival' OR role = 'work'
),
last_of AS MATERIALIZED (
  SELECT slice_id, node_id, run_id, track_id, end_ns
  FROM node
  WHERE role = 'transfer' OR role = 'work'
),
work AS MATERIALIZED (
  SELECT w.slice_id, w.end_ns, w.link_id, w.call_track_id, w.call_ns, w.before_id, coalesce(c.launch_ns, 0) AS launch_ns,
    coalesce(c.gap_ns, 0) AS gap_ns
  FROM replay_work() AS w
  LEFT JOIN replay_constant() AS c ON c.trace_id = w.trace_id AND c.device_id = w.device_id
),
edge AS (
  SELECT
    run_id, lag(node_id) OVER thread AS from_id, node_id AS to_id, 0::DOUBLE AS delay_ns,
    'thread_order' AS kind, NULL::BIGINT AS link_id, 1::DOUBLE AS confidence
  FROM piece
  WINDOW thread AS (PARTITION BY track_id ORDER BY end_ns)
  UNION ALL
  SELECT n.run_id, p.node_id, n.node_id, w.launch_ns, 'launch', w.link_id, 1
  FROM work AS w
  JOIN first_of AS n ON n.slice_id = w.slice_id
  JOIN piece AS p ON p.track_id = w.call_track_id AND p.end_ns = w.call_ns
  UNION ALL
  SELECT n.run_id, b.node_id, n.node_id, w.gap_ns, 'stream_order', NULL, 1
  FROM work AS w
  JOIN first_of AS n ON n.slice_id = w.slice_id
  JOIN last_of AS b ON b.slice_id = w.before_id
  UNION ALL
  SELECT n.run_id, b.node_id, n.node_id, w.gap_ns, 'event_wait', l.id, l.confidence
  FROM whole_link AS l
  JOIN work AS w ON w.slice_id = l.to_id
  JOIN first_of AS n ON n.slice_id = l.to_id
  JOIN last_of AS b ON b.slice_id = l.from_id
  WHERE l.kind = 'event_wait' AND l.link_set = 'default'
  UNION ALL
  SELECT DISTINCT n.run_id, b.node_id, n.node_id, w.gap_ns, 'event_wait', NULL::BIGINT, 1
  FROM (
    SELECT a.from_id, a.to_id
    FROM replay_awaited() AS a
    ANTI JOIN whole_link AS l
      ON l.from_id = a.from_id AND l.to_id = a.to_id AND l.kind = 'event_wait' AND l.link_set = 'default'
  ) AS a
  JOIN work AS w ON w.slice_id = a.to_id
  JOIN first_of AS n ON n.slice_id = a.to_id
  JOIN last_of AS b ON b.slice_id = a.from_id AND b.node_id < n.node_id
  UNION ALL
  SELECT p.run_id, b.node_id, p.node_id, w.cause_end_ns - k.end_ns, 'wait', w.link_id, 1
  FROM replay_wait() AS w
  JOIN piece AS p ON p.track_id = w.track_id AND p.end_ns = w.at_ns
  JOIN last_of AS b ON b.slice_id = w.from_id
  JOIN work AS k ON k.slice_id = w.from_id
  WHERE w.from_track_id IS NULL
  UNION ALL
  SELECT p.run_id, b.node_id, p.node_id, 0, 'hand_over', w.link_id, 1
  FROM replay_wait() AS w
  JOIN piece AS p ON p.track_id = w.track_id AND p.end_ns = w.at_ns
  JOIN piece AS b ON b.track_id = w.from_track_id AND b.end_ns = w.cause_end_ns
  UNION ALL
  SELECT a.run_id, a.node_id, b.node_id, 0, 'arrive', NULL, 1
  FROM node AS a
  JOIN node AS b ON b.instance_id = a.instance_id AND b.role = 'barrier'
  WHERE a.role = 'arrival'
  UNION ALL
  SELECT b.run_id, b.node_id, a.node_id, 0, 'peer', NULL, 1
  FROM node AS a
  JOIN node AS b ON b.instance_id = a.instance_id AND b.role = 'barrier'
  WHERE a.role = 'transfer'
  UNION ALL
  SELECT e.run_id, l.node_id, e.node_id, 0, 'end', NULL, 1
  FROM node AS e
  JOIN (
    SELECT trace_id, track_id, max_by(node_id, (end_ns, node_id)) AS node_id
    FROM node
    WHERE role IN ('piece', 'work', 'transfer')
    GROUP BY trace_id, track_id
  ) AS l ON l.trace_id = e.trace_id
  WHERE e.role = 'end'
)
SELECT run_id, from_id, to_id, delay_ns, kind, link_id, confidence
FROM edge
WHERE from_id IS NOT NULL
ORDER BY run_id, from_id, to_id, kind
