/* ---
name = "gradient_node"
version = 1
title = "Nodes of a replay in which ranks reduce gradients: group, stage, and place in the ring"
help = """
Of dPRO trials with NCCL: queue, copy into the fusion buffer, sends, receives (the time behind their
send) and copy out of it, as in replay_node. A ring sends a group in parts: each loop, channel, step and
slice is a node.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=18", queries = ["replay_node@3"] }
scale = "run"
computed_once = true
columns = [
  "node_id", "run_id", "trace_id", "rank", "tensors", "stage", "dur_ns", "order_key", "loop", "channel", "ring_step", "slice",
]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node of replay_node" }
tensors = { type = "VARCHAR", unit = "text", help = "Numbers of the tensors of the group, ascending, as in 3+4" }
stage = { type = "VARCHAR", unit = "text", check = "IN ('queue', 'copy_in', 'send', 'receive', 'copy_out')", help = "queue, copy_in, send, receive or copy_out" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration, without waiting" }
order_key.help = "Order of nodes that are ready at one time"
loop = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Loop of a send or receive" }
channel = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Channel of a send or receive" }
ring_step = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Step of the ring of a send or receive" }
slice = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Slice of a chunk of a send or receive" }

[changes]
1 = "first version"
--- */
WITH part_node AS (
  SELECT
    n.node_id, n.run_id, n.trace_id, n.rank, s.stage, n.dur_ns, n.order_key,
    regexp_extract(n.name, '->Comm\.([0-9+]+)\.', 1) AS tensors,
    string_split(nullif(regexp_extract(n.name, '~>([0-9_]+)$', 1), ''), '_')::BIGINT[] AS part
  FROM replay_node() AS n
  JOIN (VALUES
    ('QUEUE', 'queue'), ('MEMCPY_IN_FUSION_BUFFER', 'copy_in'), ('SEND', 'send'), ('RECV', 'receive'),
    ('MEMCPY_OUT_FUSION_BUFFER', 'copy_out')
  ) AS s(kind, stage) ON s.kind = n.kind
)
SELECT
  node_id,
  run_id,
  trace_id,
  rank,
  tensors,
  stage,
  dur_ns,
  order_key,
  part[1] AS loop,
  part[2] AS channel,
  part[3] AS ring_step,
  part[4] AS slice
FROM part_node
WHERE tensors <> ''
ORDER BY run_id, node_id
