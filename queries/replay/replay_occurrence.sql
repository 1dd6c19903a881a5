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
requires = { schema = ">=17", queries = ["dpro_edge@1", "dpro_event@1", "dpro_group@1", "dpro_iteration@1", "dpro_message@1", "dpro_node@1", "replay_timeline_node@1", "replay_tpu_node@1", "replay_trace@1"] }
portable = false
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
WITH trial_node AS (
  SELECT run_id, place AS node_id, name, stage
  FROM dpro_node()
  WHERE stage IS DISTINCT FROM 'Sync'
),
trial_step AS (
  SELECT run_id, step, min(start_ns) AS start_ns
  FROM dpro_iteration()
  GROUP BY run_id, step
),
-- stages of single tensors belong to the node of their group
seen AS MATERIALIZED (
  SELECT
    e.run_id,
    e.slice_id,
    e.start_ns,
    e.step,
    e.process || '->' || CASE WHEN g.tensors IS NULL THEN e.name ELSE 'Comm.' || g.tensors || '.' || e.stage END
      AS name
  FROM dpro_event() AS e
  LEFT JOIN dpro_group() AS g
    ON g.run_id = e.run_id AND g.tensor_id = TRY_CAST(e.tensors AS BIGINT)
    AND e.stage IN ('QUEUE', 'MEMCPY_IN_FUSION_BUFFER', 'MEMCPY_OUT_FUSION_BUFFER')
  WHERE e.step IS NOT NULL
  UNION ALL
  SELECT m.run_id, m.slice_id, m.start_ns, s.step, m.process || '->' || m.name
  FROM dpro_message() AS m
  ASOF JOIN trial_step AS s ON s.run_id = m.run_id AND s.start_ns <= m.start_ns
),
trial_send AS (
  SELECT e.run_id, e.to_place AS node_id, e.from_place AS send_id, s.step, min(s.start_ns) AS start_ns
  FROM dpro_edge() AS e
  JOIN seen AS s ON s.run_id = e.run_id AND s.name = e.from_name
  WHERE e.kind = 'peer' AND contains(e.from_name, '.SEND~>')
  GROUP BY e.run_id, e.to_place, e.from_place, s.step
)
SELECT
  n.run_id,
  n.node_id,
  e.step,
  s.trace_id,
  s.track_id,
  s.id AS slice_id,
  s.ts AS measured_start_ns,
  s.ts + greatest(s.dur, 0) AS measured_end_ns,
  t.start_ns - (e.start_ns - s.ts) AS origin_ns,
  coalesce(p.send_id, n.node_id) AS start_node_id,
  coalesce(e.start_ns - p.start_ns, 0) AS start_lag_ns,
  n.stage IS NOT DISTINCT FROM 'QUEUE' AS is_from_ready
FROM seen AS e
JOIN trial_node AS n ON n.run_id = e.run_id AND n.name = e.name
JOIN trial_step AS t ON t.run_id = e.run_id AND t.step = e.step
JOIN whole_slice AS s ON s.id = e.slice_id
LEFT JOIN trial_send AS p ON p.run_id = n.run_id AND p.node_id = n.node_id AND p.step = e.step
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
