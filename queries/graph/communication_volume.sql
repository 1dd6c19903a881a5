/* ---
name = "communication_volume"
version = 1
title = "Communication of graphs by process group and kind: how often, how much, how fast"
help = """
Each communication once, wherever it shows itself (see graph_communication): in host execution traces
and linked graphs from record_param_comms, c10d calls and device work, in imported .et files from
COMM nodes. Messages are sized as in the NCCL tests. bus_bytes is what every rank's
links must carry at least, message_bytes times 2(n-1)/n for all_reduce, (n-1)/n for all_gather, reduce_scatter,
all_to_all, gather and scatter, 1 for the others. Rates need device time: a linked graph or an .et with durations.
"""
grain = ["graph_id", "group_name", "kind", "peer_rank", "data_type", "group_size"]
requires = { schema = ">=11", queries = ["graph_communication@1"] }
portable = false

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "graph_id"
type = "BIGINT"
unit = "ref graph.id"
help = "The graph"

[[column]]
name = "graph_kind"
type = "VARCHAR"
unit = "text"
help = "execution_trace: recorded on the host; linked: that with device work; chakra: an imported .et"

[[column]]
name = "link_set"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Of a linked graph, by whose rules: default, chakra-1.0, ...; NULL: not linked"

[[column]]
name = "group_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Process group; NULL: not said, and the graph does not know just one"

[[column]]
name = "group_size"
type = "BIGINT"
unit = "count"
nullable = true
check = "> 0"
help = "Ranks in the group; NULL: not known"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, scatter, send, recv, send_recv, barrier"

[[column]]
name = "peer_rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The other side of a send or recv, or the root of a rooted collective, as the call names it; NULL: not said"

[[column]]
name = "data_type"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Element type, as the source spells it; NULL: not said"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Communications"

[[column]]
name = "n_sized"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Those whose size is known"

[[column]]
name = "message_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Messages of these; NULL: no size is known"

[[column]]
name = "bus_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "What the links of a rank carry for these; NULL: a size or the size of the group is not known"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Device work of all"

[[column]]
name = "device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of that, waiting for other ranks included"

[[column]]
name = "algorithm_gb_per_s"
type = "DOUBLE"
unit = "GB/s"
nullable = true
help = "message_bytes / device_ns of calls that have both, in 10^9 bytes a second; NULL: none"

[[column]]
name = "bus_gb_per_s"
type = "DOUBLE"
unit = "GB/s"
nullable = true
help = "bus_bytes / device_ns likewise"

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
