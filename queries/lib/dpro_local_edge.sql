/* ---
name = "dpro_local_edge"
version = 1
title = "Edges of dPRO's local graphs, in its order"
help = """
Nodes of one name are one, as in dPRO. ordinal is the order of dPRO's edges: by their sources, and of one
source by the places at which edges were inserted; input_ordinal that of the edges of one target. dPRO inserts the edges of
renamed nodes again, behind all others.
"""
grain = ["trace_id", "from_name", "to_name"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro'"], queries = ["dpro_operation@2"] }
scale = "trace"
computed_once = true
columns = [
  "trace_id", "ordinal", "input_ordinal", "from_name", "from_phase", "from_position", "to_name",
  "to_phase", "to_position",
]

[column]
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the edges of the local graph" }
input_ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the edges to the same node" }
from_name = { type = "VARCHAR", unit = "text", help = "Name in dPRO of what comes first" }
from_phase = { type = "VARCHAR", unit = "text", help = "FW, BW, UPDATE_ or Comm" }
from_position = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place of its node" }
to_name = { type = "VARCHAR", unit = "text", help = "Name in dPRO of what depends on it" }
to_phase = { type = "VARCHAR", unit = "text", help = "FW, BW, UPDATE_ or Comm" }
to_position = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place of its node" }

[changes]
1 = "first version"
--- */
SELECT
  trace_id,
  row_number() OVER (
    PARTITION BY trace_id
    ORDER BY from_position, to_is_renamed, CASE WHEN to_is_renamed THEN to_position ELSE place END
  ) - 1 AS ordinal,
  row_number() OVER (
    PARTITION BY trace_id, to_name
    ORDER BY from_is_renamed, CASE WHEN from_is_renamed THEN from_position ELSE place END
  ) - 1 AS input_ordinal,
  from_name,
  from_phase,
  from_position,
  to_name,
  to_phase,
  to_position
FROM (
  SELECT
    a.trace_id,
    a.name AS from_name,
    any_value(a.phase) AS from_phase,
    any_value(a.position) AS from_position,
    any_value(a.is_renamed) AS from_is_renamed,
    b.name AS to_name,
    any_value(b.phase) AS to_phase,
    any_value(b.position) AS to_position,
    any_value(b.is_renamed) AS to_is_renamed,
    min(e.place) AS place
  FROM (
    SELECT
      from_node_id, to_node_id,
      row_number() OVER (PARTITION BY trace_id ORDER BY from_node_id, id) AS place
    FROM graph_edge
  ) AS e
  JOIN dpro_operation() AS a ON a.graph_node_id = e.from_node_id
  JOIN dpro_operation() AS b ON b.graph_node_id = e.to_node_id
  GROUP BY a.trace_id, a.name, b.name
)
ORDER BY trace_id, ordinal
