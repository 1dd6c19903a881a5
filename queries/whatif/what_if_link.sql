/* ---
name = "what_if_link"
version = 2
title = "What if: another bandwidth or latency of the links between ranks"
help = """
Transfers (collectives, sends and receives) last 1 / bandwidth_ratio times as long, and latency_ns
longer.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_node@3"] }
portable = false
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.bandwidth_ratio]
type = "DOUBLE"
default = 1.0
min = 0.000001
help = "New bandwidth as a multiple of the measured one"

[param.latency_ns]
type = "DOUBLE"
unit = "ns"
default = 0.0
help = "Time added to each transfer"

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
2 = "timelines"
1 = "first version"
--- */
SELECT
  node_id, run_id, trace_id, rank, resource_id, kind, name,
  CASE WHEN kind IN ('SEND', 'PUSH_REQ', 'PULL_RES', 'bucket', 'collective')
    THEN greatest(dur_ns / $bandwidth_ratio::DOUBLE + $latency_ns::DOUBLE, 0)
    ELSE dur_ns
  END AS dur_ns,
  gap_ns, priority, order_key, slot_id, bytes, release_ns, slice_id, track_id, measured_start_ns,
  measured_end_ns
FROM replay_node()
ORDER BY run_id, node_id
