/* ---
name = "memory_use"
version = 1
title = "Uses of the storages of graphs, by lifetime"
help = """
Which operators take or return a storage in which of its lifetimes, as memory_by_tensor_lifetime has them:
one begins at the innermost operator that returns a storage it did not take. Operators around that one, which
return the same, are left out.
"""
grain = ["graph_id", "device", "storage_id", "life", "graph_node_id"]
requires = { schema = ">=11", queries = ["graph_tensor_use@1", "memory_call@1"] }
scale = "trace"
computed_once = true
columns = [
  "run_id", "trace_id", "graph_id", "device", "storage_id", "life", "graph_node_id", "place", "bytes", "is_birth", "is_written",
]

[column]
device = { type = "VARCHAR", unit = "text", help = "Device of the storage" }
storage_id = { type = "BIGINT", unit = "source id", help = "Storage" }
life = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of the lifetime of this storage, from 0" }
graph_node_id.help = "Operator that takes or returns it"
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Position of the operator among the host nodes of the graph, from 0" }
bytes = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "End of the tensor in its storage; NULL: unknown" }
is_birth = { type = "BOOLEAN", unit = "bool", help = "Whether the lifetime begins here" }
is_written = { type = "BOOLEAN", unit = "bool", help = "Whether the operator writes into it" }

[changes]
1 = "first version"
--- */
WITH use AS MATERIALIZED (
  SELECT
    h.run_id,
    h.trace_id,
    u.graph_id,
    u.device,
    u.storage_id,
    h.graph_node_id,
    h.parent_id,
    h.place,
    h.is_writer,
    bool_or(u.is_output) AS is_given,
    bool_or(NOT u.is_output) AS is_taken,
    max(u.extent_bytes) FILTER (NOT u.is_expanded OR u.has_strides) AS bytes
  FROM graph_tensor_use() AS u
  JOIN memory_call() AS h ON h.graph_node_id = u.graph_node_id AND h.side = 'host'
  WHERE u.storage_id IS NOT NULL AND u.device <> ''
  GROUP BY ALL
),
around AS (
  SELECT DISTINCT parent_id AS graph_node_id, device, storage_id
  FROM use
  WHERE is_given AND NOT is_taken
),
marked AS (
  SELECT
    u.*,
    u.is_given AND NOT u.is_taken AND a.graph_node_id IS NULL AS is_birth
  FROM use AS u
  LEFT JOIN around AS a
    ON a.graph_node_id = u.graph_node_id AND a.device = u.device AND a.storage_id = u.storage_id
  -- Operators around the producing one only pass the storage on.
  WHERE u.is_taken OR a.graph_node_id IS NULL
),
numbered AS (
  SELECT
    *,
    sum(is_birth::BIGINT) OVER (
      PARTITION BY graph_id, device, storage_id ORDER BY place
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS birth
  FROM marked
)
SELECT
  run_id, trace_id, graph_id, device, storage_id,
  dense_rank() OVER (PARTITION BY graph_id, device, storage_id ORDER BY birth) - 1 AS life,
  graph_node_id, place, bytes, is_birth,
  is_birth OR is_given AND is_writer AS is_written
FROM numbered
ORDER BY graph_id, device, storage_id, life, place
