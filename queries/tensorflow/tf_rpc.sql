/* ---
name = "tf_rpc"
version = 1
title = "Remote calls of TensorFlow between traces, and between processes of one trace"
help = """
Calls that link_rpc and link_rpc_process linked, client with server. Times between two traces are on
the time shared by the run; they are NULL where the offset of a clock is not known.
"""
grain = ["client_id"]
requires = { schema = ">=1" }
scale = "run"
columns = [
  "run_id", "client_id", "server_id", "trace_id", "server_trace_id", "rpc_key", "start_ns",
  "total_ns", "request_ns", "server_ns", "response_ns", "bytes", "bytes_per_s",
]

[column]
client_id = { type = "BIGINT", unit = "ref slice.id", help = "Slice of the call on the client" }
server_id = { type = "BIGINT", unit = "ref slice.id", help = "Slice of its processing on the server" }
trace_id.help = "Trace of the client"
server_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace of the server" }
rpc_key = { type = "VARCHAR", unit = "text", nullable = true, help = "Key that both sides know the call by" }
start_ns.help = "Start of the call on the client"
total_ns = { type = "BIGINT", unit = "ns", help = "Duration on the client" }
request_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "From the begin on the client to the begin on the server; NULL: clocks are not related" }
server_ns = { type = "BIGINT", unit = "ns", help = "Duration on the server" }
response_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "From the end on the server to the end on the client; NULL: clocks are not related" }
bytes.help = "Size of the response; NULL: not recorded"
bytes_per_s = { type = "DOUBLE", unit = "byte/s", nullable = true, help = "bytes by the duration on the client: effective bandwidth" }

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  l.from_id AS client_id,
  l.to_id AS server_id,
  c.trace_id,
  s.trace_id AS server_trace_id,
  c.rpc_key,
  c.ts AS start_ns,
  c.dur AS total_ns,
  CASE WHEN s.trace_id = c.trace_id THEN s.ts - c.ts ELSE b.aligned_ts_ns - a.aligned_ts_ns END
    AS request_ns,
  s.dur AS server_ns,
  CASE
    WHEN s.trace_id = c.trace_id THEN c.ts + c.dur - s.ts - s.dur
    ELSE a.aligned_ts_ns + c.dur - b.aligned_ts_ns - s.dur
  END AS response_ns,
  coalesce(s.bytes, c.bytes) AS bytes,
  CASE WHEN c.dur > 0 THEN coalesce(s.bytes, c.bytes) * 1e9 / c.dur END AS bytes_per_s
FROM whole_link AS l
JOIN rpc AS c ON c.slice_id = l.from_id
JOIN rpc AS s ON s.slice_id = l.to_id
JOIN trace AS t ON t.id = c.trace_id
LEFT JOIN aligned_slice AS a ON a.slice_id = c.slice_id
LEFT JOIN aligned_slice AS b ON b.slice_id = s.slice_id
WHERE l.kind = 'rpc' AND l.link_set = 'default' AND c.kind = 'client'
ORDER BY c.trace_id, c.ts, l.from_id
