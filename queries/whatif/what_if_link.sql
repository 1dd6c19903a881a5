/* ---
name = "what_if_link"
version = 1
title = "What if: another bandwidth or latency of the links between ranks"
help = """
Sends and receives last 1 / bandwidth_ratio times as long, and latency_ns longer.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_node@1"] }
portable = false
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "release_ns",
]

[param.bandwidth_ratio]
type = "DOUBLE"
default = 1.0
min = 0.000001
help = "New bandwidth as a multiple of the measured one"

[param.latency_ns]
type = "DOUBLE"
unit = "ns"
default = 0.0
help = "Time added to each transfer"

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node" }
kind.help = "operator, or the stage of communication"
name = { type = "VARCHAR", unit = "text", help = "Name" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration after the change" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
priority = { type = "BIGINT", unit = "count", help = "As in replay_node" }
resource_id = { type = "BIGINT", unit = "id", nullable = true, help = "As in replay_node" }
order_key = { type = "BIGINT", unit = "count", help = "As in replay_node" }
slot_id = { type = "BIGINT", unit = "id", nullable = true, help = "As in replay_node" }
release_ns = { type = "DOUBLE", unit = "ns", help = "Not before this time" }

[changes]
1 = "first version"
--- */
SELECT
  node_id, run_id, trace_id, rank, resource_id, kind, name,
  CASE WHEN kind IN ('SEND', 'PUSH_REQ', 'PULL_RES')
    THEN greatest(dur_ns / $bandwidth_ratio::DOUBLE + $latency_ns::DOUBLE, 0)
    ELSE dur_ns
  END AS dur_ns,
  gap_ns, priority, order_key, slot_id, release_ns
FROM replay_node()
ORDER BY run_id, node_id
