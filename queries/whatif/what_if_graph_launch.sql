/* ---
name = "what_if_graph_launch"
version = 1
title = "What if: steps launched their work as graphs (CUDA graphs)"
help = """
Of each step the calls that launch work become one, up to a call that waits for device work. It takes `ns`;
its threads do nothing else until the last of the calls, as a graph is replayed without operators and Python.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_captured@1", "replay_node@3"] }
scale = "run"
applies_to = "steps that launch device work"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.ns]
type = "DOUBLE"
unit = "ns"
default = 10000.0
min = 0
help = "Duration of the call that launches a graph"

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
WITH captured AS (
  SELECT DISTINCT run_id, track_id, first_id, last_id FROM replay_captured()
),
node AS (
  SELECT n.*, g.first_id, g.last_id
  FROM replay_node() AS n
  ASOF LEFT JOIN captured AS g
    ON g.run_id = n.run_id AND g.track_id = n.track_id AND n.node_id >= g.first_id
)
SELECT
  n.node_id, n.run_id, n.trace_id, n.rank, n.resource_id, n.kind, n.name,
  CASE
    WHEN n.node_id = n.first_id THEN $ns::DOUBLE
    WHEN n.kind IN ('host', 'call', 'gradient', 'copy') AND n.node_id <= n.last_id THEN 0
    ELSE n.dur_ns
  END AS dur_ns,
  n.gap_ns, n.priority, n.order_key, n.slot_id, n.bytes, n.release_ns, n.slice_id, n.track_id,
  n.measured_start_ns, n.measured_end_ns
FROM node AS n
ORDER BY n.run_id, n.node_id
