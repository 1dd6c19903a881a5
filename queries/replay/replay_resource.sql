/* ---
name = "replay_resource"
version = 1
title = "What the nodes of a replay run on"
help = """
A resource serves one node at a time, in the order in which nodes become ready or by priority; an
unlimited one any number. Of dPRO trials: the operators of a rank, its communicator, its channels.
"""
grain = ["run_id", "resource_id"]
requires = { schema = ">=17", queries = ["dpro_replay@1"] }
portable = false
columns = ["run_id", "resource_id", "name", "rank", "is_unlimited", "is_by_priority"]

[param.dpro_rules]
type = "BOOLEAN"
default = false
help = "Durations and resources as dPRO's replay has them"

[param.unlimited_updates]
type = "BOOLEAN"
default = false
help = "Updates of weights run without waiting for other operators of their rank"

[column]
resource_id = { type = "BIGINT", unit = "id", help = "Resource; counts from 0 in a run" }
name = { type = "VARCHAR", unit = "text", help = "Name" }
is_unlimited = { type = "BOOLEAN", unit = "bool", help = "Whether it serves any number of nodes at once" }
is_by_priority = { type = "BOOLEAN", unit = "bool", help = "Whether of waiting nodes that of the lowest priority number comes first" }

[changes]
1 = "first version"
--- */
SELECT
  run_id,
  row_number() OVER (PARTITION BY run_id ORDER BY min(place)) - 1 AS resource_id,
  resource AS name,
  any_value(rank) AS rank,
  bool_or(is_unlimited) AS is_unlimited,
  bool_or(is_by_priority) AS is_by_priority
FROM dpro_replay(p_dpro_rules := $dpro_rules::BOOLEAN, p_unlimited_updates := $unlimited_updates::BOOLEAN)
WHERE resource IS NOT NULL
GROUP BY run_id, resource
ORDER BY run_id, resource_id
