/* ---
name = "what_if_buckets"
version = 4
title = "What if: other buckets of gradients"
help = """
Gradients that are reduced on the host (DistributedDataParallel with gloo) are put into buckets of
another size: a bucket closes with the first gradient that reaches it, and is reduced when all ranks
have closed it, after the buckets before, at the measured rate, or that of the link (replay_bucket).
Host code that ran beside communication, and would run before the first bucket now, lasts as long as
without (replay_gradient).
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_node@3", "replay_bucket@2", "replay_gradient@1", "replay_phase@1"] }
scale = "run"
applies_to = "gradients that DistributedDataParallel reduces on the host (gloo), in recordings with shapes"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.bytes]
type = "BIGINT"
unit = "byte"
min = 1
help = "Size at which a bucket closes"

[param.recorded_bits_per_s]
type = "DOUBLE"
default = 0.0
min = 0
help = "Rate of the recorded links; 0: not known"

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
4 = "recorded reductions, which take no time, are where their calls are"
3 = "buckets belong to a trace of their run"
2 = "new parameter recorded_bits_per_s"
1 = "first version"
--- */
WITH reduction AS (
  -- Reductions by a communication library: their gradients are copied on the host.
  SELECT n.run_id, n.node_id
  FROM replay_node() AS n
  WHERE n.kind IN ('arrival', 'barrier', 'collective') AND n.run_id IN (SELECT run_id FROM replay_gradient())
),
bucket AS (
  FROM replay_bucket(
    p_bytes := $bytes::BIGINT, p_recorded_bits_per_s := $recorded_bits_per_s::DOUBLE
  )
),
-- Host code that runs before the first bucket is reduced.
freed AS (
  SELECT p.run_id, p.node_id, p.quiet_ns
  FROM replay_phase() AS p
  JOIN bucket AS b ON b.run_id = p.run_id AND b.iteration = p.iteration AND b.bucket = 0
  WHERE p.phase = 'backward' AND p.place <= b.last_place AND p.place > 0
),
kept AS (
  SELECT
    n.*,
    r.node_id IS NOT NULL AS is_dropped,
    coalesce(f.quiet_ns, n.dur_ns) AS quiet_ns
  FROM replay_node() AS n
  LEFT JOIN reduction AS r ON r.run_id = n.run_id AND r.node_id = n.node_id
  LEFT JOIN freed AS f ON f.run_id = n.run_id AND f.node_id = n.node_id
)
SELECT
  node_id, run_id, trace_id, rank, resource_id, kind, name,
  CASE WHEN is_dropped THEN 0 ELSE quiet_ns END AS dur_ns,
  gap_ns, priority, order_key, slot_id, bytes, release_ns, slice_id, track_id, measured_start_ns, measured_end_ns
FROM kept
UNION ALL
SELECT
  b.node_id, b.run_id, g.trace_id, NULL, NULL, 'bucket', 'bucket ' || b.bucket,
  b.dur_ns, 0, 0, b.node_id, NULL, b.bytes, 0, NULL, NULL, NULL, NULL
FROM bucket AS b
LEFT JOIN (
  SELECT run_id, min(trace_id) AS trace_id FROM replay_gradient() GROUP BY run_id
) AS g ON g.run_id = b.run_id
ORDER BY run_id, node_id
