/* ---
name = "gradient_ring"
version = 1
title = "Rings on which ranks reduce gradients: who sends to a rank, and its delay before it"
help = """
Of dPRO trials with NCCL: of each rank and channel the rank before it, and the time between the last
gradient of a group and the earliest begin of its reduction.
"""
grain = ["trace_id", "channel"]
requires = { schema = ">=18", queries = ["gradient_node@1", "replay_edge@5", "replay_node@3"] }
scale = "run"
columns = ["run_id", "trace_id", "rank", "channel", "previous_trace_id", "delay_ns"]

[column]
channel = { type = "BIGINT", unit = "count", check = ">= 0", help = "Channel" }
previous_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace of the rank that sends to it; of a rank alone, its own" }
delay_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Negotiation before the queue" }

[changes]
1 = "first version"
--- */
WITH delay AS (
  SELECT n.run_id, n.trace_id, any_value(n.rank) AS rank, max(e.delay_ns) AS delay_ns
  FROM replay_node() AS n
  JOIN replay_edge() AS e ON e.run_id = n.run_id AND e.from_id = n.node_id
  WHERE n.kind = 'Sync'
  GROUP BY n.run_id, n.trace_id
),
ring AS (
  SELECT DISTINCT b.trace_id, a.channel, a.trace_id AS previous_trace_id
  FROM replay_edge() AS e
  JOIN gradient_node() AS a ON a.run_id = e.run_id AND a.node_id = e.from_id AND a.stage = 'send'
  JOIN gradient_node() AS b ON b.run_id = e.run_id AND b.node_id = e.to_id AND b.stage = 'receive'
)
SELECT
  d.run_id,
  d.trace_id,
  d.rank,
  coalesce(r.channel, 0) AS channel,
  coalesce(r.previous_trace_id, d.trace_id) AS previous_trace_id,
  d.delay_ns
FROM delay AS d
LEFT JOIN ring AS r ON r.trace_id = d.trace_id
ORDER BY d.trace_id, channel
