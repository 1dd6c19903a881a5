/* ---
name = "replay_node"
version = 3
title = "What a replay simulates: work, with its duration and resource"
help = """
Of timelines, pieces of host threads between calls that queue work or wait, and that work; of dPRO
trials one iteration of all ranks, from the means of all steps; of graphs without a timeline their
calls and device work; commands of TPUs. `tw replay` simulates the nodes with
the edges of replay_edge on the resources of replay_resource.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["dpro_replay@3", "replay_graph_node@1", "replay_timeline_node@1", "replay_tpu_node@1"] }
scale = "run"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.dpro_rules]
type = "BOOLEAN"
default = false
help = "Durations and resources as dPRO's replay has them"

[param.unlimited_updates]
type = "BOOLEAN"
default = false
help = "Updates of weights run without waiting for other operators of their rank"

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts from 0 in a run" }
trace_id.nullable = true
kind.help = "operator, or the stage of communication; of timelines host, call, gradient, copy, kernel, memcpy, memset, arrival, barrier, collective, end; of TPUs compute, transfer, sync"
name.nullable = false
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
bytes.help = "Bytes that a transfer moves"
slice_id = { nullable = true, help = "Slice that it stands for, or call that begins with it" }
track_id = { nullable = true, help = "Thread or stream" }

[changes]
3 = "graphs and TPU commands"
2 = "timelines; bytes, slices, tracks and measured times"
1 = "first version"
--- */
WITH trial AS NOT MATERIALIZED (
  FROM dpro_replay(p_dpro_rules := $dpro_rules::BOOLEAN, p_unlimited_updates := $unlimited_updates::BOOLEAN)
),
-- few resources, slots and stages have many nodes: they are numbered first, and joined
trial_resource AS (
  SELECT run_id, process, resource, row_number() OVER (PARTITION BY run_id ORDER BY min(place)) - 1 AS resource_id
  FROM trial
  WHERE resource IS NOT NULL
  GROUP BY run_id, process, resource
),
trial_slot AS (
  SELECT run_id, slot, row_number() OVER (PARTITION BY run_id ORDER BY slot) - 1 AS slot_id
  FROM trial
  WHERE slot IS NOT NULL
  GROUP BY run_id, slot
),
trial_order AS (
  SELECT
    run_id, tensors, stage, operator_place,
    row_number() OVER (PARTITION BY run_id ORDER BY tensors NULLS FIRST, stage, operator_place) AS order_key
  FROM (SELECT DISTINCT run_id, tensors, stage, CASE WHEN stage IS NULL THEN place END AS operator_place FROM trial)
)
SELECT
  t.place AS node_id,
  t.run_id,
  t.trace_id,
  t.rank,
  r.resource_id,
  coalesce(t.stage, 'operator') AS kind,
  concat(
    t.process, '->', t.name, '.' || t.group_stage,
    CASE WHEN t.loop IS NOT NULL THEN concat('~>', t.loop, '_', t.channel, '_', t.ring_step, '_', t.part) END
  ) AS name,
  t.dur_ns,
  t.gap_ns,
  t.priority,
  o.order_key,
  s.slot_id,
  NULL::BIGINT AS bytes,
  0::DOUBLE AS release_ns,
  NULL::BIGINT AS slice_id,
  NULL::BIGINT AS track_id,
  NULL::DOUBLE AS measured_start_ns,
  NULL::DOUBLE AS measured_end_ns
FROM trial AS t
JOIN trial_order AS o
  ON o.run_id = t.run_id AND o.tensors IS NOT DISTINCT FROM t.tensors AND o.stage IS NOT DISTINCT FROM t.stage
  AND o.operator_place IS NOT DISTINCT FROM CASE WHEN t.stage IS NULL THEN t.place END
LEFT JOIN trial_resource AS r ON r.run_id = t.run_id AND r.process = t.process AND r.resource = t.resource
LEFT JOIN trial_slot AS s ON s.run_id = t.run_id AND s.slot = t.slot
UNION ALL
SELECT
  node_id,
  run_id,
  trace_id,
  rank,
  CASE WHEN track_id IS NOT NULL THEN
    dense_rank() OVER (PARTITION BY run_id, track_id IS NULL ORDER BY track_id) - 1
  END,
  kind,
  name,
  dur_ns::DOUBLE,
  0,
  0,
  node_id,
  NULL,
  bytes,
  CASE WHEN is_released THEN start_ns::DOUBLE ELSE 0 END,
  slice_id,
  track_id,
  start_ns::DOUBLE,
  end_ns::DOUBLE
FROM (
  SELECT
    node_id, run_id, trace_id, rank, track_id, kind, name, dur_ns, bytes, is_released, start_ns, end_ns, slice_id
  FROM replay_timeline_node()
  UNION ALL
  SELECT
    node_id, run_id, trace_id, rank, track_id, kind, name, dur_ns, bytes, is_released, start_ns, end_ns, slice_id
  FROM replay_tpu_node()
)
UNION ALL
SELECT
  node_id,
  run_id,
  trace_id,
  rank,
  CASE WHEN resource IS NOT NULL THEN
    dense_rank() OVER (PARTITION BY run_id, resource IS NULL ORDER BY trace_id, resource) - 1
  END,
  kind,
  name,
  dur_ns::DOUBLE,
  0,
  0,
  node_id,
  NULL,
  bytes,
  CASE WHEN is_released THEN coalesce(start_ns, 0)::DOUBLE ELSE 0 END,
  slice_id,
  NULL,
  start_ns::DOUBLE,
  end_ns::DOUBLE
FROM replay_graph_node()
ORDER BY run_id, node_id
