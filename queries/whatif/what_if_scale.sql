/* ---
name = "what_if_scale"
version = 4
title = "What if: other durations of some nodes"
help = """
Nodes whose name and kind match the patterns (as in GLOB), of one rank or of all, last `ratio` times as
long, or `ns` nanoseconds. class and stream select device work by its class (compute, communication or
memory) and by the number of its stream.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_device_work@1", "replay_node@3"] }
scale = "run"
applies_to = "nodes by name, kind and rank, and device work by class and stream"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.name]
type = "VARCHAR"
default = "*"
help = "Pattern of names of nodes"

[param.kind]
type = "VARCHAR"
default = "*"
help = "Pattern of kinds of nodes"

[param.class]
type = "VARCHAR"
default = "*"
help = "Pattern of classes of device work: compute, communication, memory"

[param.stream]
type = "BIGINT"
default = -1
help = "Number of a stream; -1 for all"

[param.rank]
type = "BIGINT"
default = -1
help = "Rank; -1 for all"

[param.ratio]
type = "DOUBLE"
default = 1.0
min = 0
help = "Factor of the durations"

[param.ns]
type = "DOUBLE"
unit = "ns"
nullable = true
min = 0
help = "Duration instead; null: multiplied by ratio"

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
4 = "ns: null, not -1, is no duration; negative ones are refused"
3 = "new parameters class and stream"
2 = "timelines"
1 = "first version"
--- */
SELECT
  n.node_id, n.run_id, n.trace_id, n.rank, n.resource_id, n.kind, n.name,
  CASE
    WHEN NOT (
      n.name GLOB $name::VARCHAR AND n.kind GLOB $kind::VARCHAR
      AND ($rank::BIGINT = -1 OR n.rank IS NOT DISTINCT FROM $rank::BIGINT)
      AND ($class::VARCHAR = '*' OR coalesce(w.class GLOB $class::VARCHAR, false))
      AND ($stream::BIGINT = -1 OR coalesce(w.stream = $stream::BIGINT, false))
    ) THEN n.dur_ns
    WHEN $ns::DOUBLE IS NOT NULL THEN $ns::DOUBLE
    ELSE n.dur_ns * $ratio::DOUBLE
  END AS dur_ns,
  n.gap_ns, n.priority, n.order_key, n.slot_id, n.bytes, n.release_ns, n.slice_id, n.track_id,
  n.measured_start_ns, n.measured_end_ns
FROM replay_node() AS n
LEFT JOIN replay_device_work() AS w ON w.slice_id = n.slice_id
ORDER BY run_id, node_id
