/* ---
name = "replay_measured"
version = 3
title = "Measured time of what a replay simulates, by rank and step"
help = """
Of timelines the steps, and the whole trace from the first start of its nodes to the last end; the
replayed time is that between the ends of two nodes, or from the first start. Of dPRO trials the mean
iteration time of each rank over all steps, from the first operator to the end of the one that begins
last. Of graphs the time from the first recorded start to the last end.
"""
grain = ["trace_id", "step"]
requires = { schema = ">=17", queries = ["dpro_iteration@1", "replay_graph_node@1", "replay_piece@1", "replay_timeline_node@1", "replay_tpu_node@1"] }
scale = "run"
columns = ["run_id", "trace_id", "rank", "step", "measured_ns", "first_id", "last_id"]

[column]
step.help = "Step; NULL: the whole trace, or the mean of all steps of a dPRO trial"
measured_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Measured time; NULL: a graph that records durations only" }
first_id = { type = "BIGINT", unit = "id", nullable = true, help = "Node of replay_node that ends when the time begins; NULL: the first start" }
last_id = { type = "BIGINT", unit = "id", nullable = true, help = "Node that ends when the time ends; NULL: the operator that begins last" }

[changes]
3 = "graphs and TPU commands"
2 = "steps of timelines, and the nodes between which they last"
1 = "first version"
--- */
WITH node AS (
  SELECT node_id, run_id, trace_id, rank, role, track_id, start_ns, end_ns
  FROM replay_timeline_node()
),
piece AS (
  SELECT n.node_id, n.run_id, n.trace_id, n.rank, n.track_id, p.end_ns
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
one_step AS (
  SELECT trace_id, track_id, number, ts, dur
  FROM step
  WHERE number IS NOT NULL AND dur > 0
  QUALIFY row_number() OVER (PARTITION BY trace_id, number ORDER BY ts, slice_id) = 1
)
SELECT
  run_id,
  trace_id,
  any_value(rank) AS rank,
  NULL::BIGINT AS step,
  avg(dur_ns) AS measured_ns,
  NULL::BIGINT AS first_id,
  NULL::BIGINT AS last_id
FROM dpro_iteration()
GROUP BY run_id, trace_id
UNION ALL
SELECT a.run_id, a.trace_id, a.rank, s.number, s.dur, a.node_id, b.node_id
FROM one_step AS s
JOIN piece AS a ON a.track_id = s.track_id AND a.end_ns = s.ts
JOIN piece AS b ON b.track_id = s.track_id AND b.end_ns = s.ts + s.dur
UNION ALL
SELECT
  run_id,
  trace_id,
  any_value(rank),
  NULL,
  max(end_ns) - min(start_ns) FILTER (WHERE role <> 'end'),
  NULL,
  max(node_id) FILTER (WHERE role = 'end')
FROM node
WHERE role <> 'barrier'
GROUP BY run_id, trace_id
UNION ALL
SELECT
  run_id,
  trace_id,
  any_value(rank),
  NULL,
  max(end_ns) - min(start_ns) FILTER (WHERE role <> 'end'),
  NULL,
  max(node_id) FILTER (WHERE role = 'end')
FROM replay_tpu_node()
GROUP BY run_id, trace_id
UNION ALL
SELECT
  run_id,
  trace_id,
  any_value(rank),
  NULL,
  max(end_ns) - min(start_ns) FILTER (WHERE role <> 'end'),
  NULL,
  max(node_id) FILTER (WHERE role = 'end')
FROM replay_graph_node()
WHERE role <> 'barrier'
GROUP BY run_id, trace_id
ORDER BY trace_id, step
