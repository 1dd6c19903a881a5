/* ---
name = "what_if_batch"
version = 1
title = "What if: another batch size"
help = """
Work of the forward and the backward pass lasts ratio times as long: device work outside of collectives,
and, where gradients are reduced on the host, host code up to the last gradient of each iteration, of
which only the undisturbed time grows (replay_phase). An extrapolation: work that does not grow with
the batch is scaled, too.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_node@3", "replay_phase@1"] }
scale = "run"
applies_to = "device work outside of collectives, and gradients that DistributedDataParallel reduces on the host (gloo)"
extrapolates = true
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.ratio]
type = "DOUBLE"
min = 0
help = "New batch size as a multiple of the recorded one"

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
SELECT
  node_id, run_id, trace_id, rank, resource_id, kind, name,
  CASE
    WHEN kind IN ('kernel', 'memcpy', 'memset') OR kind = 'operator' AND NOT contains(name, 'UPDATE')
      THEN dur_ns * $ratio::DOUBLE
    WHEN kind = 'host' AND phase IN ('forward', 'backward')
      THEN greatest(dur_ns + ($ratio::DOUBLE - 1) * quiet_ns, 0)
    ELSE dur_ns
  END AS dur_ns,
  gap_ns, priority, order_key, slot_id, bytes, release_ns, slice_id, track_id, measured_start_ns,
  measured_end_ns
FROM (
  SELECT n.*, p.phase, p.quiet_ns
  FROM replay_node() AS n
  LEFT JOIN replay_phase() AS p ON p.run_id = n.run_id AND p.node_id = n.node_id
)
ORDER BY run_id, node_id
