/* ---
name = "what_if_drop"
version = 1
title = "What if: some nodes took no time"
help = """
Nodes whose name and kind match the patterns (as in GLOB), of one rank or of all, take no time and
need no resource; what they wait for, those behind them wait for.
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
WITH node AS (
  SELECT
    *,
    name GLOB $name::VARCHAR AND kind GLOB $kind::VARCHAR
      AND ($rank::BIGINT = -1 OR rank IS NOT DISTINCT FROM $rank::BIGINT) AS is_dropped
  FROM replay_node()
)
SELECT
  node_id, run_id, trace_id, rank,
  CASE WHEN NOT is_dropped OR slot_id IS NOT NULL THEN resource_id END AS resource_id,
  kind, name,
  CASE WHEN is_dropped THEN 0 ELSE dur_ns END AS dur_ns,
  CASE WHEN is_dropped THEN 0 ELSE gap_ns END AS gap_ns,
  priority, order_key, slot_id, release_ns
FROM node
ORDER BY run_id, node_id
