/* ---
name = "communication_volume"
version = 1
title = "Communication of graphs by process group and kind: count, size and rate"
help = """
Counts each communication once, wherever it is recorded (see graph_communication): in host execution
traces and linked graphs by record_param_comms, c10d calls and device work, in imported .et files by
COMM nodes. Message sizes follow NCCL tests. bus_bytes is the minimum traffic on each rank's links:
message_bytes times 2(n-1)/n for all_reduce, (n-1)/n for all_gather, reduce_scatter, all_to_all,
gather and scatter, and 1 for the others. Rates need device time, from a linked graph or an .et file
with durations.
"""
grain = ["graph_id", "group_name", "kind", "peer_rank", "data_type", "group_size"]
requires = { schema = ">=11", queries = ["graph_communication@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "graph_id", "graph_kind", "link_set", "group_name", "group_size",
  "kind", "peer_rank", "data_type", "n_calls", "n_sized", "message_bytes", "bus_bytes",
  "n_device_ops", "device_ns", "algorithm_gb_per_s", "bus_gb_per_s",
]

[column]
group_name.help = "Process group; NULL: not recorded and the graph has more than one"
data_type.help = "Element type, as recorded; NULL: not recorded"
n_calls.help = "Number of communications"
n_sized = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of communications of known size" }
n_device_ops.help = "Device work of all communications"
device_ns.help = "Sum of the durations of the device work, including waits for other ranks"

[column.group_size]
type = "BIGINT"
unit = "count"
nullable = true
check = "> 0"
help = "Ranks in the group; NULL: unknown"

[column.kind]
help = "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, scatter, send, recv, send_recv, barrier"

[column.message_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Sum of the message sizes; NULL: unknown"

[column.bus_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Bytes on the links of a rank; NULL: unknown message or group size"

[column.algorithm_gb_per_s]
type = "DOUBLE"
unit = "GB/s"
nullable = true
help = "message_bytes / device_ns of calls that have both, in 10^9 bytes per second; NULL: none"

[column.bus_gb_per_s]
type = "DOUBLE"
unit = "GB/s"
nullable = true
help = "bus_bytes / device_ns, in 10^9 bytes per second; NULL: none"

[changes]
1 = "first version"
--- */
SELECT
  run_id,
  trace_id,
  rank,
  graph_id,
  graph_kind,
  link_set,
  group_name,
  group_size,
  kind,
  peer_rank,
  data_type,
  count(*) AS n_calls,
  count(message_bytes) AS n_sized,
  sum(message_bytes)::BIGINT AS message_bytes,
  CASE WHEN count(*) = count(message_bytes * bus_factor)
    THEN round(sum(message_bytes * bus_factor))::BIGINT END AS bus_bytes,
  sum(n_device_ops)::BIGINT AS n_device_ops,
  sum(device_ns)::BIGINT AS device_ns,
  sum(message_bytes) FILTER (device_ns > 0)
    / nullif(sum(device_ns) FILTER (message_bytes IS NOT NULL), 0)::DOUBLE AS algorithm_gb_per_s,
  sum(message_bytes * bus_factor) FILTER (device_ns > 0)
    / nullif(sum(device_ns) FILTER (message_bytes * bus_factor IS NOT NULL), 0)::DOUBLE AS bus_gb_per_s
FROM graph_communication()
GROUP BY
  run_id, trace_id, rank, graph_id, graph_kind, link_set, group_name, group_size, kind, peer_rank,
  data_type
ORDER BY
  run_id, rank, trace_id, graph_id, message_bytes DESC NULLS LAST, group_name, kind, peer_rank,
  data_type, group_size
