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
requires = { schema = ">=17", queries = ["replay_cause@2", "replay_measured_node@1"] }
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
    run_id, node_id, trace_id, rank, kind, name, slice_id, track_id, start_ns, end_ns, dur_ns
  FROM replay_measured_node()
),
last_node AS (
  SELECT run_id, max_by(node_id, (end_ns, node_id)) AS node_id FROM node GROUP BY run_id
),
-- Most nodes started after the one before them on their track: such chains are walked as one.
placed AS (
  SELECT
    c.run_id, n.track_id, c.node_id, c.before_id,
    lag(c.node_id) OVER (PARTITION BY c.run_id, n.track_id ORDER BY c.node_id) AS left_id
  FROM cause AS c
  JOIN node AS n ON n.run_id = c.run_id AND n.node_id = c.node_id
),
chained AS MATERIALIZED (
  SELECT
    run_id, node_id, before_id,
    max(CASE WHEN left_id IS NULL OR before_id IS DISTINCT FROM left_id THEN node_id END)
      OVER (PARTITION BY run_id, track_id ORDER BY node_id) AS head_id
  FROM placed
),
jump AS MATERIALIZED (
  SELECT h.run_id, h.head_id, h.before_id, b.head_id AS next_id
  FROM chained AS h
  JOIN chained AS b ON b.run_id = h.run_id AND b.node_id = h.before_id
  WHERE h.node_id = h.head_id
),
last_head AS (
  SELECT c.run_id, c.head_id
  FROM last_node AS l
  JOIN chained AS c ON c.run_id = l.run_id AND c.node_id = l.node_id
),
-- The distance doubles each round: a path of a thousand chains takes ten rounds.
walk AS (
  SELECT 0 AS round, false AS is_on_path, run_id, head_id, next_id
  FROM jump
  WHERE (run_id, head_id) IN (SELECT run_id, next_id FROM jump UNION ALL SELECT run_id, head_id FROM last_head)
  UNION ALL
  SELECT 0 AS round, true AS is_on_path, run_id, head_id, NULL
  FROM last_head
  UNION ALL
  (
    SELECT a.round + 1, false, a.run_id, a.head_id, b.next_id
    FROM walk AS a
    JOIN walk AS b ON b.run_id = a.run_id AND b.head_id = a.next_id AND NOT b.is_on_path
    WHERE NOT a.is_on_path
    UNION ALL
    SELECT a.round + 1, true, a.run_id, a.head_id, NULL
    FROM walk AS a
    WHERE a.is_on_path AND EXISTS (FROM walk WHERE NOT is_on_path)
    UNION ALL
    SELECT a.round + 1, true, a.run_id, b.next_id, NULL
    FROM walk AS a
    JOIN walk AS b ON b.run_id = a.run_id AND b.head_id = a.head_id AND NOT b.is_on_path
    WHERE a.is_on_path
  )
),
-- Of each chain on the path, the last node on the path.
part AS MATERIALIZED (
  SELECT c.run_id, c.head_id, c.node_id
  FROM (
    SELECT run_id, node_id FROM last_node
    UNION ALL
    SELECT j.run_id, j.before_id
    FROM jump AS j
    JOIN (SELECT DISTINCT run_id, head_id FROM walk WHERE is_on_path) AS w
      ON w.run_id = j.run_id AND w.head_id = j.head_id
  ) AS l
  JOIN chained AS c ON c.run_id = l.run_id AND c.node_id = l.node_id
),
on_path AS (
  SELECT c.run_id, c.node_id
  FROM part AS p
  JOIN chained AS c ON c.run_id = p.run_id AND c.head_id = p.head_id AND c.node_id <= p.node_id
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
