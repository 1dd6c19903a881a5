/* ---
name = "what_if_recompute"
version = 1
title = "What if: parts of a graph computed again, to save memory"
help = """
Each part is FROM-TO@AGAIN, places of calls as in memory_by_tensor_lifetime: the calls from FROM until before TO run
again right before AGAIN (memory_recomputed says how much memory that saves). What they take on the host is part
of the time of the call at AGAIN, what they take on a stream part of that of the first work on it launched
from AGAIN on.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["memory_node@2", "replay_node@3"] }
scale = "run"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.parts]
type = "VARCHAR"
help = "Parts that run again, as 17-98@1045,98-150@900"

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
WITH named AS (
  SELECT regexp_extract(trim(text), '^(\d+)-(\d+)@(\d+)$', ['a', 'b', 'c']) AS part
  FROM (SELECT unnest(string_split($parts::VARCHAR, ',')) AS text)
),
part AS (
  SELECT
    row_number() OVER (ORDER BY part.a::BIGINT) - 1 AS part_id,
    part.a::BIGINT AS from_order, part.b::BIGINT AS to_order, part.c::BIGINT AS again_order
  FROM named
  WHERE part.a <> ''
),
placed AS MATERIALIZED (
  SELECT m.run_id, m.graph_id, m.node_id, m.side, m.place, m.self_ns, n.dur_ns, n.resource_id
  FROM memory_node() AS m
  JOIN replay_node() AS n ON n.run_id = m.run_id AND n.node_id = m.node_id
),
cost AS (
  SELECT
    p.part_id, p.again_order, c.run_id, c.graph_id, c.side,
    CASE WHEN c.side = 'device' THEN c.resource_id END AS resource_id,
    sum(CASE WHEN c.side = 'device' THEN c.dur_ns ELSE coalesce(c.self_ns, 0) END) AS dur_ns
  FROM part AS p
  JOIN placed AS c ON c.place >= p.from_order AND c.place < p.to_order
  GROUP BY ALL
),
-- where it runs again: the call, and the first work on each stream from there on
caller AS (
  SELECT p.part_id, c.run_id, c.graph_id, min_by(c.node_id, c.place) AS node_id
  FROM part AS p
  JOIN placed AS c ON c.side = 'host' AND c.place >= p.again_order
  GROUP BY ALL
),
work AS (
  SELECT p.part_id, c.run_id, c.graph_id, c.resource_id, min_by(c.node_id, (c.place, c.node_id)) AS node_id
  FROM part AS p
  JOIN placed AS c ON c.side = 'device' AND c.place >= p.again_order
  GROUP BY ALL
),
added AS (
  SELECT c.run_id, coalesce(w.node_id, h.node_id) AS node_id, sum(c.dur_ns) AS dur_ns
  FROM cost AS c
  JOIN caller AS h ON h.part_id = c.part_id AND h.graph_id = c.graph_id
  LEFT JOIN work AS w
    ON w.part_id = c.part_id AND w.graph_id = c.graph_id AND c.side = 'device'
    AND w.resource_id IS NOT DISTINCT FROM c.resource_id
  GROUP BY ALL
)
SELECT
  n.node_id, n.run_id, n.trace_id, n.rank, n.resource_id, n.kind, n.name, n.dur_ns + coalesce(a.dur_ns, 0) AS dur_ns,
  n.gap_ns, n.priority, n.order_key, n.slot_id, n.bytes, n.release_ns, n.slice_id, n.track_id, n.measured_start_ns,
  n.measured_end_ns
FROM replay_node() AS n
LEFT JOIN added AS a ON a.run_id = n.run_id AND a.node_id = n.node_id
ORDER BY n.run_id, n.node_id
