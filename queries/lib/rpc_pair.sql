/* ---
name = "rpc_pair"
version = 1
title = "Remote calls linked between two traces, each end on its own clock"
help = """
A row for each message of a linked call: the request, and for calls with a duration the response. Nothing
is received before it is sent. Times are nanoseconds since the epoch of each trace's own clock.
"""
grain = ["from_id", "to_id", "is_response"]
requires = { schema = ">=1" }
scale = "run"
columns = [
  "run_id", "from_id", "to_id", "hub_trace_id", "trace_id", "confidence", "is_response",
  "is_from_hub", "hub_ns", "other_ns",
]

[column]
from_id = { type = "BIGINT", unit = "ref slice.id", help = "Slice of the caller" }
to_id = { type = "BIGINT", unit = "ref slice.id", help = "Slice of the callee" }
hub_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace with the lower rank or id" }
trace_id.help = "The other trace"
confidence = { type = "DOUBLE", unit = "ratio", check = "BETWEEN 0 AND 1", help = "Confidence of the link" }
is_response = { type = "BOOLEAN", unit = "bool", help = "Whether the message is the response" }
is_from_hub = { type = "BOOLEAN", unit = "bool", help = "Whether the hub sends the message" }
hub_ns = { type = "BIGINT", unit = "ns", help = "When the hub sent or received it, on its clock" }
other_ns = { type = "BIGINT", unit = "ns", help = "When the other trace received or sent it, on its clock" }

[changes]
1 = "first version"
--- */
WITH message AS (
  SELECT
    l.run_id,
    l.from_id,
    l.to_id,
    l.confidence,
    unnest([false, true]) AS is_response,
    a.trace_id AS from_trace_id,
    b.trace_id AS to_trace_id,
    t.base_ns + unnest([a.ts, a.ts + a.dur]) AS from_ns,
    u.base_ns + unnest([b.ts, b.ts + b.dur]) AS to_ns,
    unnest([true, a.dur > 0 AND b.dur > 0]) AS is_known,
    coalesce(t.rank, 0) < coalesce(u.rank, 0)
      OR coalesce(t.rank, 0) = coalesce(u.rank, 0) AND t.id < u.id AS is_caller_hub
  FROM whole_link AS l
  JOIN rpc AS a ON a.slice_id = l.from_id
  JOIN rpc AS b ON b.slice_id = l.to_id
  JOIN trace AS t ON t.id = a.trace_id
  JOIN trace AS u ON u.id = b.trace_id
  WHERE l.kind = 'rpc' AND l.link_set = 'default' AND l.trace_id IS NULL
)
SELECT
  run_id,
  from_id,
  to_id,
  CASE WHEN is_caller_hub THEN from_trace_id ELSE to_trace_id END AS hub_trace_id,
  CASE WHEN is_caller_hub THEN to_trace_id ELSE from_trace_id END AS trace_id,
  confidence,
  is_response,
  is_caller_hub <> is_response AS is_from_hub,
  CASE WHEN is_caller_hub THEN from_ns ELSE to_ns END AS hub_ns,
  CASE WHEN is_caller_hub THEN to_ns ELSE from_ns END AS other_ns
FROM message
WHERE is_known
ORDER BY to_id, from_id, is_response
