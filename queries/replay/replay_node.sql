/* ---
name = "replay_node"
version = 1
title = "What a replay simulates: work, with its duration and resource"
help = """
Of dPRO trials one iteration of all ranks, from the means of all steps. `tw replay` simulates the
nodes with the edges of replay_edge on the resources of replay_resource.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["dpro_replay@1"] }
portable = false
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "release_ns",
]

[param.dpro_rules]
type = "BOOLEAN"
default = false
help = "Durations and resources as dPRO's replay has them"

[param.unlimited_updates]
type = "BOOLEAN"
default = false
help = "Updates of weights run without waiting for other operators of their rank"

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts from 0 in a run" }
kind.help = "operator, or the stage of communication"
name = { type = "VARCHAR", unit = "text", help = "Name" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
priority = { type = "BIGINT", unit = "count", help = "Of nodes that wait for a resource by priority the lowest comes first" }

[column.resource_id]
type = "BIGINT"
unit = "id"
nullable = true
help = "What it runs on (replay_resource); NULL: needs nothing"

[column.order_key]
type = "BIGINT"
unit = "count"
help = "Of nodes that are ready at one time the lowest comes first; equal on all ranks"

[column.slot_id]
type = "BIGINT"
unit = "id"
nullable = true
help = "Collective that holds the resource from its first node to its last; NULL: only while it runs"

[column.release_ns]
type = "DOUBLE"
unit = "ns"
help = "Not before this time, for what has no recorded cause"

[changes]
1 = "first version"
--- */
WITH node AS (
  SELECT *, min(place) OVER (PARTITION BY run_id, resource) AS resource_place
  FROM dpro_replay(p_dpro_rules := $dpro_rules::BOOLEAN, p_unlimited_updates := $unlimited_updates::BOOLEAN)
)
SELECT
  place AS node_id,
  run_id,
  trace_id,
  rank,
  CASE WHEN resource IS NOT NULL THEN
    dense_rank() OVER (PARTITION BY run_id, resource IS NULL ORDER BY resource_place) - 1
  END AS resource_id,
  coalesce(stage, 'operator') AS kind,
  name,
  dur_ns,
  gap_ns,
  priority,
  dense_rank() OVER (PARTITION BY run_id ORDER BY tensors NULLS FIRST, stage, CASE WHEN stage IS NULL THEN place END) AS order_key,
  CASE WHEN slot IS NOT NULL THEN
    dense_rank() OVER (PARTITION BY run_id, slot IS NULL ORDER BY slot) - 1
  END AS slot_id,
  0::DOUBLE AS release_ns
FROM node
ORDER BY run_id, node_id
