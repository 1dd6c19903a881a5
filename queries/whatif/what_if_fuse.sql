/* ---
name = "what_if_fuse"
version = 2
title = "What if: operators fused into one"
help = """
Operators of each cluster of a dPRO trial are computed as one, on all ranks, once all that any of them needs is
ready; what others need of them is ready at its end. It lasts as long as fused_time says: by a cost model, or as
long as they do together, less the traffic of tensors that are no longer written or read.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=26", queries = ["fused_operator@1", "fused_time@1", "replay_node@3"] }
scale = "run"
extrapolates = true
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.clusters]
type = "VARCHAR"
help = "Operators of each cluster, as net/a+net/b,net/c+net/d"

[param.model]
type = "VARCHAR"
default = ""
help = "Cost model of fused operators"

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts from 0 in a run" }
trace_id.nullable = true
kind.help = "dropped: takes no part; operator, or the stage of communication; of timelines host, call, gradient, copy, kernel, memcpy, memset, arrival, barrier, collective, end"
name.nullable = false
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration after the change" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
bytes.help = "Bytes that a transfer moves"
slice_id = { nullable = true, help = "Slice that it stands for, or call that begins with it" }
track_id = { nullable = true, help = "Thread or stream" }

[changes]
1 = "first version"
2 = "time of clusters by a cost model"
--- */
WITH member AS MATERIALIZED (
  SELECT run_id, node_id FROM fused_operator(p_clusters := $clusters::VARCHAR)
),
fused AS MATERIALIZED (
  SELECT run_id, into_id, dur_ns, gap_ns
  FROM fused_time(p_clusters := $clusters::VARCHAR, p_model := $model::VARCHAR)
)
SELECT
  n.node_id, n.run_id, n.trace_id, n.rank,
  CASE WHEN m.node_id IS NULL OR f.into_id IS NOT NULL THEN n.resource_id END AS resource_id,
  CASE WHEN m.node_id IS NULL OR f.into_id IS NOT NULL THEN n.kind ELSE 'dropped' END AS kind,
  n.name,
  CASE WHEN f.into_id IS NOT NULL THEN f.dur_ns WHEN m.node_id IS NOT NULL THEN 0 ELSE n.dur_ns END AS dur_ns,
  CASE WHEN f.into_id IS NOT NULL THEN f.gap_ns WHEN m.node_id IS NOT NULL THEN 0 ELSE n.gap_ns END AS gap_ns,
  n.priority, n.order_key, n.slot_id, n.bytes, n.release_ns, n.slice_id, n.track_id, n.measured_start_ns,
  n.measured_end_ns
FROM replay_node() AS n
LEFT JOIN member AS m ON m.run_id = n.run_id AND m.node_id = n.node_id
LEFT JOIN fused AS f ON f.run_id = n.run_id AND f.into_id = n.node_id
ORDER BY n.run_id, n.node_id
