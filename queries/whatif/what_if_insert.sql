/* ---
name = "what_if_insert"
version = 1
title = "What if: there were more work"
help = """
Before each node whose name and kind match the patterns (as in GLOB), of one rank or of all, the thread
or stream works for another `ns` nanoseconds.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_node@3"] }
scale = "run"
applies_to = "nodes by name, kind and rank"
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

[param.rank]
type = "BIGINT"
default = -1
help = "Rank; -1 for all"

[param.ns]
type = "DOUBLE"
unit = "ns"
min = 0
help = "Duration of the work inserted"

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
  CASE WHEN
    name GLOB $name::VARCHAR AND kind GLOB $kind::VARCHAR
      AND ($rank::BIGINT = -1 OR rank IS NOT DISTINCT FROM $rank::BIGINT)
    THEN dur_ns + $ns::DOUBLE ELSE dur_ns
  END AS dur_ns,
  gap_ns, priority, order_key, slot_id, bytes, release_ns, slice_id, track_id, measured_start_ns,
  measured_end_ns
FROM replay_node()
ORDER BY run_id, node_id
