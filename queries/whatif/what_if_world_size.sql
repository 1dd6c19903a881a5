/* ---
name = "what_if_world_size"
version = 1
title = "What if: more or fewer ranks took part in collectives"
help = """
Transfers of collectives last as long as on a ring of so many ranks with the same links: a message takes
(n - 1) / n of its size over each link. An extrapolation: other algorithms and slower links between
hosts are not known, and ranks that wait for each other are those of the recording.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_node@3"] }
scale = "run"
applies_to = "collectives of several ranks"
extrapolates = true
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.ranks]
type = "BIGINT"
min = 2
help = "Ranks"

[param.recorded_ranks]
type = "BIGINT"
default = 0
min = 0
help = "Ranks in the recording; 0: as many as have traces, at least two"

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
WITH recorded AS (
  SELECT run_id, greatest(count(DISTINCT trace_id), 2) AS n_traces
  FROM replay_node()
  WHERE kind IN ('collective', 'SEND')
  GROUP BY run_id
)
SELECT
  node_id, run_id, trace_id, rank, resource_id, kind, name,
  CASE WHEN kind IN ('collective', 'bucket', 'SEND')
    THEN dur_ns * (($ranks::BIGINT - 1) / $ranks::BIGINT::DOUBLE) / ((n - 1) / n::DOUBLE) ELSE dur_ns
  END AS dur_ns,
  gap_ns, priority, order_key, slot_id, bytes, release_ns, slice_id, track_id, measured_start_ns,
  measured_end_ns
FROM (
  SELECT x.*, CASE WHEN $recorded_ranks::BIGINT > 1 THEN $recorded_ranks::BIGINT ELSE r.n_traces END AS n
  FROM replay_node() AS x
  LEFT JOIN recorded AS r ON r.run_id = x.run_id
)
ORDER BY run_id, node_id
