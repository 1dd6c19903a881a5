/* ---
name = "what_if_no_wait"
version = 1
title = "What if: the host did not wait in some calls"
help = """
Calls whose name matches the pattern (as in GLOB), of one rank or of all, do not wait for device work, and
those that queue none take no time.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_edge@5", "replay_node@3"] }
scale = "run"
applies_to = "calls that wait for device work, by name and rank"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.name]
type = "VARCHAR"
default = "*"
help = "Pattern of names of calls"

[param.rank]
type = "BIGINT"
default = -1
help = "Rank; -1 for all"

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
WITH waiting AS (
  SELECT DISTINCT run_id, to_id AS node_id
  FROM replay_edge()
  WHERE kind = 'wait'
),
launching AS (
  SELECT DISTINCT b.run_id, b.to_id AS node_id
  FROM replay_edge() AS a
  JOIN replay_edge() AS b ON b.from_id = a.from_id AND b.run_id = a.run_id AND b.kind = 'thread_order'
  WHERE a.kind = 'launch'
)
SELECT
  n.node_id, n.run_id, n.trace_id, n.rank, n.resource_id, n.kind, n.name,
  CASE
    WHEN n.kind = 'call' AND n.name GLOB $name::VARCHAR
      AND ($rank::BIGINT = -1 OR n.rank IS NOT DISTINCT FROM $rank::BIGINT)
      AND (n.run_id, n.node_id) IN (FROM waiting)
      AND (n.run_id, n.node_id) NOT IN (FROM launching)
      THEN 0
    ELSE n.dur_ns
  END AS dur_ns,
  n.gap_ns, n.priority, n.order_key, n.slot_id, n.bytes, n.release_ns, n.slice_id, n.track_id,
  n.measured_start_ns, n.measured_end_ns
FROM replay_node() AS n
ORDER BY n.run_id, n.node_id
