/* ---
name = "what_if_launch_free"
version = 1
title = "What if: launches cost nothing"
help = """
Calls that queue work take no time, unless they also wait for it, and the work can start when they
begin.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_edge@5", "replay_node@3"] }
scale = "run"
applies_to = "calls that queue device work"
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
WITH launch AS (
  SELECT b.run_id, b.to_id AS node_id
  FROM replay_edge() AS a
  JOIN replay_edge() AS b ON b.from_id = a.from_id AND b.run_id = a.run_id AND b.kind = 'thread_order'
  WHERE a.kind = 'launch'
  EXCEPT
  SELECT run_id, to_id FROM replay_edge() WHERE kind = 'wait'
)
SELECT
  node_id, run_id, trace_id, rank, resource_id, kind, name,
  CASE WHEN kind = 'call' AND (run_id, node_id) IN (FROM launch) THEN 0 ELSE dur_ns END AS dur_ns,
  gap_ns, priority, order_key, slot_id, bytes, release_ns, slice_id, track_id, measured_start_ns,
  measured_end_ns
FROM replay_node()
ORDER BY run_id, node_id
