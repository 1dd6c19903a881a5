/* ---
name = "what_if_scale"
version = 1
title = "What if: other durations of some nodes"
help = """
Nodes whose name and kind match the patterns (as in GLOB), of one rank or of all, last `ratio` times as
long, or `ns` nanoseconds.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_node@1"] }
portable = false
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "release_ns",
]

[param.name]
type = "VARCHAR"
default = "*"
help = "Pattern of names of nodes"

[param.kind]
type = "VARCHAR"
default = "*"
help = "Pattern of kinds of nodes"

[param.rank]
type = "BIGINT"
default = -1
help = "Rank; -1 for all"

[param.ratio]
type = "DOUBLE"
default = 1.0
min = 0
help = "Factor of the durations"

[param.ns]
type = "DOUBLE"
unit = "ns"
default = -1.0
help = "Duration instead; -1: multiplied by ratio"

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
  CASE
    WHEN NOT (
      name GLOB $name::VARCHAR AND kind GLOB $kind::VARCHAR
      AND ($rank::BIGINT = -1 OR rank IS NOT DISTINCT FROM $rank::BIGINT)
    ) THEN dur_ns
    WHEN $ns::DOUBLE >= 0 THEN $ns::DOUBLE
    ELSE dur_ns * $ratio::DOUBLE
  END AS dur_ns,
  gap_ns, priority, order_key, slot_id, release_ns
FROM replay_node()
ORDER BY run_id, node_id
