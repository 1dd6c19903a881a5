/* ---
name = "replay_occurrence"
version = 2
title = "When the nodes of a replay ran"
help = """
A node of a replay stands for a part of the recording, or for a slice of each step. Predictions move
slices by these rows: what ran from measured_start_ns to measured_end_ns then runs when the node does,
counted from origin_ns. Of timelines: pieces of threads, and device work; of TPUs: commands. Of dPRO
trials: operators, stages of communication and messages, in each step; a receive begins as long after its send as measured, QUEUE when its group is ready. Sync, which
takes no time in a replay, is not among them.
"""
grain = ["run_id", "node_id", "step", "slice_id"]
requires = { schema = ">=17", queries = ["dpro_code@1", "dpro_event_node@1", "dpro_graph_edge@1", "dpro_graph_place@1", "dpro_iteration@1", "dpro_message@1", "replay_timeline_node@1", "replay_tpu_node@1", "replay_trace@1"] }
scale = "run"
columns = [
  "run_id", "node_id", "step", "trace_id", "track_id", "slice_id", "measured_start_ns",
  "measured_end_ns", "origin_ns", "start_node_id", "start_lag_ns", "is_from_ready",
]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node (replay_node)" }
slice_id = { nullable = true, help = "Slice; of a piece of a thread the call that it begins with" }
step = { type = "BIGINT", unit = "count", help = "Step; 0 if the whole recording is replayed" }
measured_start_ns = { type = "BIGINT", unit = "ns", help = "Measured start, in the time of the trace" }
measured_end_ns = { type = "BIGINT", unit = "ns", help = "Measured end, in the time of the trace" }
start_node_id = { type = "BIGINT", unit = "id", help = "Node with whose start the slice begins; the node itself, or the send of a receive" }
start_lag_ns = { type = "DOUBLE", unit = "ns", help = "Time from that start to the start of the slice" }
is_from_ready = { type = "BOOLEAN", unit = "bool", help = "Whether the slice begins when the node is ready, and includes its waiting" }
origin_ns = { type = "DOUBLE", unit = "ns", help = "Time of the trace at which the step begins on the earliest rank" }

[changes]
2 = "TPU commands"
1 = "first version"
--- */
WITH trial_step AS (
  SELECT run_id, step, min(start_ns) AS start_ns
  FROM dpro_iteration()
  GROUP BY run_id, step
),
-- stages of single tensors belong to the node of their group
seen AS MATERIALIZED (
  SELECT run_id, code, place AS node_id, slice_id, step, stage, start_ns
  FROM dpro_event_node()
  WHERE step IS NOT NULL AND stage IS DISTINCT FROM 'Sync'
  UNION ALL
  SELECT m.run_id, p.code, p.place, m.slice_id, s.step, m.stage, m.start_ns
  FROM dpro_message() AS m
  JOIN dpro_code() AS c ON c.run_id = m.run_id AND c.process = m.process AND c.name = m.name
  JOIN dpro_graph_place() AS p ON p.code = c.first_code
  ASOF JOIN (SELECT run_id, start_ns, max(step) AS step FROM trial_step GROUP BY run_id, start_ns) AS s
    ON s.run_id = m.run_id AND s.start_ns <= m.start_ns
),
trial_send AS (
  SELECT e.to_code AS code, s.node_id AS send_id, s.step, min(s.start_ns) AS start_ns
  FROM dpro_graph_edge() AS e
  JOIN seen AS s ON s.code = e.from_code
  WHERE e.kind = 'peer' AND s.stage = 'SEND'
  GROUP BY e.to_code, s.node_id, s.step
)
SELECT
  e.run_id,
  e.node_id,
  e.step,
  s.trace_id,
  s.track_id,
  s.id AS slice_id,
  s.ts AS measured_start_ns,
  s.ts + greatest(s.dur, 0) AS measured_end_ns,
  t.start_ns - (e.start_ns - s.ts) AS origin_ns,
  coalesce(p.send_id, e.node_id) AS start_node_id,
  coalesce(e.start_ns - p.start_ns, 0) AS start_lag_ns,
  e.stage IS NOT DISTINCT FROM 'QUEUE' AS is_from_ready
FROM seen AS e
JOIN trial_step AS t ON t.run_id = e.run_id AND t.step = e.step
JOIN whole_slice AS s ON s.id = e.slice_id
LEFT JOIN trial_send AS p ON p.code = e.code AND p.step = e.step
UNION ALL
SELECT
  n.run_id,
  n.node_id,
  0,
  n.trace_id,
  n.track_id,
  n.slice_id,
  round((n.start_ns - t.shift_ns) / (1 + t.drift))::BIGINT,
  round((n.end_ns - t.shift_ns) / (1 + t.drift))::BIGINT,
  -t.shift_ns / (1 + t.drift),
  n.node_id,
  0,
  false
FROM (
  SELECT run_id, node_id, trace_id, track_id, slice_id, start_ns, end_ns FROM replay_timeline_node()
  UNION ALL
  SELECT run_id, node_id, trace_id, track_id, slice_id, start_ns, end_ns FROM replay_tpu_node()
) AS n
JOIN replay_trace() AS t ON t.trace_id = n.trace_id
WHERE n.track_id IS NOT NULL
ORDER BY run_id, node_id, step, slice_id
