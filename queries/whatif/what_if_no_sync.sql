/* ---
name = "what_if_no_sync"
version = 1
title = "What if: gradients were not reduced"
help = """
As in iterations inside no_sync of DistributedDataParallel: collectives take no time and wait for
nobody, gradients are not copied into buckets and back, and host code lasts as long as
undisturbed (replay_phase).
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_node@3", "replay_phase@1"] }
scale = "run"
applies_to = "timelines with collectives of several ranks"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts from 0 in a run" }
trace_id.nullable = true
kind.help = "operator, or the stage of communication; of timelines host, call, gradient, copy, kernel, memcpy, memset, arrival, barrier, collective, end"
name.nullable = false
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration after the change" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
bytes.help = "Bytes that a transfer moves"
slice_id = { nullable = true, help = "Slice that it stands for, or call that begins with it" }
track_id = { nullable = true, help = "Thread or stream" }

[changes]
1 = "first version"
--- */
WITH judged AS (
  SELECT
    n.*,
    n.kind IN ('arrival', 'barrier', 'collective', 'bucket', 'gradient', 'copy') OR coalesce(p.phase = 'reduce', false)
      OR n.kind = 'call' AND n.name LIKE 'c10d::%' AS is_dropped,
    coalesce(p.quiet_ns, n.dur_ns) AS quiet_ns
  FROM replay_node() AS n
  LEFT JOIN replay_phase() AS p ON p.run_id = n.run_id AND p.node_id = n.node_id
)
SELECT
  node_id, run_id, trace_id, rank, resource_id, kind, name,
  CASE WHEN is_dropped THEN 0 ELSE quiet_ns END AS dur_ns,
  gap_ns, priority, order_key, slot_id, bytes, release_ns, slice_id, track_id, measured_start_ns,
  measured_end_ns
FROM judged
ORDER BY run_id, node_id
