/* ---
name = "what_if_skip"
version = 1
title = "What if: some operators, annotations or calls took the host no time"
help = """
Pieces of host threads are shortened by the time they spend in operators, annotations and calls whose name
matches the pattern (as in GLOB), of one rank or of all. What is launched there is launched at once; waits stay.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_host_time@1", "replay_node@3"] }
scale = "run"
applies_to = "operators, annotations and calls by name and rank"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.within]
type = "VARCHAR"
help = "Pattern of names"

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
WITH node AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY run_id, track_id, kind IN ('host', 'call', 'gradient', 'copy') ORDER BY node_id
    ) AS place
  FROM replay_node()
),
saved AS (
  SELECT track_id, place, sum(host_ns) AS saved_ns
  FROM replay_host_time()
  WHERE name GLOB $within::VARCHAR
  GROUP BY track_id, place
)
SELECT
  n.node_id, n.run_id, n.trace_id, n.rank, n.resource_id, n.kind, n.name,
  n.dur_ns - CASE
    WHEN $rank::BIGINT = -1 OR n.rank IS NOT DISTINCT FROM $rank::BIGINT
      THEN least(coalesce(s.saved_ns, 0), n.dur_ns)
    ELSE 0
  END AS dur_ns,
  n.gap_ns, n.priority, n.order_key, n.slot_id, n.bytes, n.release_ns, n.slice_id, n.track_id,
  n.measured_start_ns, n.measured_end_ns
FROM node AS n
LEFT JOIN saved AS s
  ON s.track_id = n.track_id AND s.place = n.place AND n.kind IN ('host', 'call', 'gradient', 'copy')
ORDER BY n.run_id, n.node_id
