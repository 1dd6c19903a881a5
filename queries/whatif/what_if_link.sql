/* ---
name = "what_if_link"
version = 4
title = "What if: another bandwidth or latency of the links between ranks"
help = """
Transfers (collectives, sends and receives) last 1 / bandwidth_ratio times as long, and latency_ns
longer. With bits_per_s they last as long as their bytes take at that rate: of an all-reduce of n ranks
2 (n - 1) / n of the message, of all-gather, reduce-scatter and all-to-all (n - 1) / n, of others the
message. Transfers whose bytes were not recorded do not change then.
Collectives of the host also compute, which another link leaves as it is. With recorded_bits_per_s, the rate
of the recorded link, collectives that use it one after another (in flight together, they end as far apart
as their bytes need) change only by the time that their bytes, and those that they waited for, need on it.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_link_use@1", "replay_node@3", "replay_transfer@1"] }
scale = "run"
applies_to = "collectives of several ranks, and sends and receives of dPRO trials"
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

[param.bits_per_s]
type = "DOUBLE"
default = 0.0
min = 0
help = "Rate of the links instead; 0: multiplied by bandwidth_ratio"

[param.recorded_bits_per_s]
type = "DOUBLE"
default = 0.0
min = 0
help = "Rate of the recorded links; 0: transfers spend all their time on them"

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
4 = "new parameter recorded_bits_per_s"
3 = "new parameter bits_per_s"
2 = "timelines"
1 = "first version"
--- */
WITH recorded AS (
  SELECT run_id, greatest(count(DISTINCT trace_id), 2) AS n
  FROM replay_node()
  WHERE kind = 'collective'
  GROUP BY run_id
),
transfer AS (
  SELECT
    x.*,
    coalesce(x.bytes, t.bytes) * CASE
      WHEN x.kind NOT IN ('collective', 'bucket') THEN 1
      WHEN x.kind = 'bucket' OR regexp_matches(lower(x.name), 'all_?reduce') THEN 2 * (r.n - 1) / r.n
      WHEN regexp_matches(lower(x.name), 'all_?gather|reduce_?scatter|all_?to_?all') THEN (r.n - 1) / r.n
      ELSE 1
    END AS moved
  FROM replay_node() AS x
  LEFT JOIN recorded AS r ON r.run_id = x.run_id
  LEFT JOIN replay_transfer() AS t ON t.run_id = x.run_id AND t.name = x.name AND x.kind = 'SEND'
)
SELECT
  t.node_id, t.run_id, trace_id, rank, resource_id, kind, name,
  CASE
    WHEN kind NOT IN ('SEND', 'PUSH_REQ', 'PULL_RES', 'bucket', 'collective') THEN dur_ns
    -- reduced in other buckets
    WHEN kind = 'collective' AND EXISTS (SELECT 1 FROM replay_node() AS n WHERE n.kind = 'bucket') THEN dur_ns
    WHEN $bits_per_s::DOUBLE > 0 AND moved IS NULL THEN dur_ns
    WHEN $bits_per_s::DOUBLE > 0 THEN greatest(8e9 * moved / $bits_per_s::DOUBLE + $latency_ns::DOUBLE, 0)
    WHEN u.use_ns IS NOT NULL
      THEN greatest(dur_ns + u.use_ns * (1 / $bandwidth_ratio::DOUBLE - 1) + $latency_ns::DOUBLE, 0)
    ELSE greatest(dur_ns / $bandwidth_ratio::DOUBLE + $latency_ns::DOUBLE, 0)
  END AS dur_ns,
  gap_ns, priority, order_key, slot_id, t.bytes, release_ns, slice_id, track_id, measured_start_ns,
  measured_end_ns
FROM transfer AS t
LEFT JOIN replay_link_use(p_recorded_bits_per_s := $recorded_bits_per_s::DOUBLE) AS u
  ON u.run_id = t.run_id AND u.node_id = t.node_id
ORDER BY t.run_id, t.node_id
