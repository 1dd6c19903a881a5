/* ---
name = "what_if_typical_steps"
version = 1
title = "What if: no step took the host much longer than the others"
help = """
Of steps that take more than 1.5 times the median of their trace, of at least three, the host takes no longer
than the median: the longest pieces of its threads are shortened to one length (replay_long_piece).
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_long_piece@1", "replay_node@3"] }
scale = "run"
applies_to = "steps longer than 1.5 times the median"
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
WITH node AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY run_id, track_id, kind IN ('host', 'call', 'gradient', 'copy') ORDER BY node_id
    ) AS place
  FROM replay_node()
)
SELECT
  n.node_id, n.run_id, n.trace_id, n.rank, n.resource_id, n.kind, n.name,
  n.dur_ns - least(coalesce(s.more_ns, 0), n.dur_ns) AS dur_ns,
  n.gap_ns, n.priority, n.order_key, n.slot_id, n.bytes, n.release_ns, n.slice_id, n.track_id,
  n.measured_start_ns, n.measured_end_ns
FROM node AS n
LEFT JOIN replay_long_piece() AS s
  ON s.track_id = n.track_id AND s.place = n.place AND n.kind IN ('host', 'call', 'gradient', 'copy')
ORDER BY n.run_id, n.node_id
