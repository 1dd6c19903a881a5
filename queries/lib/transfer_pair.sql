/* ---
name = "transfer_pair"
version = 1
title = "Sends around a ring with their receives, each end on its own clock"
help = """
A communication library that splits a collective records sends and receives of each loop, ring step,
part and channel. The n-th send of a rank belongs to the n-th receive of the same part on the rank behind
it on the ring of the channel (communication_edge), if both recorded as many. Times are nanoseconds since
the epoch of each trace's own clock.
"""
grain = ["to_id"]
requires = { schema = ">=17" }
scale = "run"
columns = [
  "run_id", "from_id", "to_id", "from_trace_id", "to_trace_id", "tensor_id", "from_start_ns",
  "from_end_ns", "to_start_ns", "to_end_ns",
]

[column]
from_id = { type = "BIGINT", unit = "ref slice.id", help = "Slice of the send" }
to_id = { type = "BIGINT", unit = "ref slice.id", help = "Slice of the receive" }
from_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace of the sender" }
to_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace of the receiver" }
tensor_id = { type = "BIGINT", unit = "source id", help = "The first tensor of the collective" }
from_start_ns = { type = "BIGINT", unit = "ns", help = "Start of the send, on the sender's clock" }
from_end_ns = { type = "BIGINT", unit = "ns", help = "End of the send, on the sender's clock" }
to_start_ns = { type = "BIGINT", unit = "ns", help = "Start of the receive, on the receiver's clock" }
to_end_ns = { type = "BIGINT", unit = "ns", help = "End of the receive, on the receiver's clock" }

[changes]
1 = "first version"
--- */
WITH tensor AS (
  SELECT slice_id, min(tensor_id) AS tensor_id
  FROM collective_tensor
  WHERE tensor_id IS NOT NULL
  GROUP BY slice_id
),
transfer AS (
  SELECT
    t.run_id, c.trace_id, t.rank, c.slice_id, c.stage, x.tensor_id, c.loop, c.channel, c.ring_step,
    c.part,
    t.base_ns + c.ts AS start_ns,
    t.base_ns + c.ts + greatest(c.dur, 0) AS end_ns,
    row_number() OVER (
      PARTITION BY c.trace_id, c.stage, x.tensor_id, c.loop, c.channel, c.ring_step, c.part
      ORDER BY c.ts, c.slice_id
    ) AS n,
    count(*) OVER (
      PARTITION BY c.trace_id, c.stage, x.tensor_id, c.loop, c.channel, c.ring_step, c.part
    ) AS n_all
  FROM collective AS c
  JOIN trace AS t ON t.id = c.trace_id
  JOIN tensor AS x ON x.slice_id = c.slice_id
  WHERE c.stage IN ('SEND', 'RECV') AND c.ring_step IS NOT NULL
),
ring AS (
  SELECT DISTINCT t.run_id, e.channel, e.from_rank, e.to_rank
  FROM communication_edge AS e
  JOIN trace AS t ON t.id = e.trace_id
  WHERE e.algorithm = 'ring'
)
SELECT
  s.run_id,
  s.slice_id AS from_id,
  r.slice_id AS to_id,
  s.trace_id AS from_trace_id,
  r.trace_id AS to_trace_id,
  s.tensor_id,
  s.start_ns AS from_start_ns,
  s.end_ns AS from_end_ns,
  r.start_ns AS to_start_ns,
  r.end_ns AS to_end_ns
FROM transfer AS s
JOIN ring AS e ON e.run_id = s.run_id AND e.channel = s.channel AND e.from_rank = s.rank
JOIN transfer AS r
  ON r.run_id = s.run_id AND r.rank = e.to_rank AND r.channel = s.channel
  AND r.tensor_id = s.tensor_id AND r.ring_step = s.ring_step AND r.n = s.n AND r.n_all = s.n_all
  AND r.loop IS NOT DISTINCT FROM s.loop AND r.part IS NOT DISTINCT FROM s.part
WHERE s.stage = 'SEND' AND r.stage = 'RECV'
ORDER BY to_id
