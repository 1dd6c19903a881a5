/* ---
name = "memory_accumulated"
version = 1
title = "Uses of the storages of graphs if the batch is divided"
help = """
As memory_use, of one of `batches` parts of the batch that run one after another, which is not the first or last. Storages that the forward
or backward pass makes, and that are not taken after it, have a part of their bytes; gradients of weights do not. The
sum of the gradients of earlier parts is one more lifetime of each, from the start of the step until the gradient is added; numbers
of these are negative. What the step takes and does not make keeps its
size, and is kept for the next part. With one batch the rows are those of memory_use.
"""
grain = ["graph_id", "device", "storage_id", "life", "graph_node_id"]
requires = { schema = ">=11", queries = ["memory_call@1", "memory_pass@1", "memory_use@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "graph_id", "device", "storage_id", "life", "graph_node_id", "place", "bytes", "is_birth", "is_written",
]

[param.batches]
type = "BIGINT"
default = 1
min = 1
help = "Parts of the batch"

[param.is_accumulated]
type = "BOOLEAN"
default = true
help = "Whether all parts run; false: the batch of a step is one of them, and no gradients are kept"

[column]
device = { type = "VARCHAR", unit = "text", help = "Device of the storage" }
storage_id = { type = "BIGINT", unit = "source id", help = "Storage" }
life = { type = "BIGINT", unit = "count", help = "Number of the lifetime of this storage, from 0; below 0: of the sum of earlier gradients" }
graph_node_id.help = "Operator that takes or returns it"
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Position of the operator among the host nodes of the graph, from 0" }
bytes = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "End of the tensor in its storage; NULL: unknown" }
is_birth = { type = "BOOLEAN", unit = "bool", help = "Whether the lifetime begins here" }
is_written = { type = "BOOLEAN", unit = "bool", help = "Whether the operator writes into it" }

[changes]
1 = "first version"
--- */
WITH use AS MATERIALIZED (FROM memory_use()),
-- calls that add a gradient to that of the weight, or keep it if there is none
adding AS (
  SELECT c.graph_id, c.graph_node_id, c.is_writer
  FROM memory_call() AS c
  JOIN memory_call() AS p ON p.graph_node_id = c.parent_id
  WHERE c.side = 'host' AND p.name = 'torch::autograd::AccumulateGrad'
),
life AS (
  SELECT
    u.graph_id, u.device, u.storage_id, u.life, bool_or(u.is_birth) AS is_made, min(u.place) AS first_place,
    max(u.place) AS last_place, bool_or(a.graph_node_id IS NOT NULL) AS is_gradient,
    max(u.place) FILTER (NOT a.is_writer) AS kept_place, max(u.bytes) AS bytes
  FROM use AS u
  LEFT JOIN adding AS a ON a.graph_node_id = u.graph_node_id
  GROUP BY u.graph_id, u.device, u.storage_id, u.life
),
placed AS MATERIALIZED (
  SELECT
    l.*, p.first_place AS begin_place,
    l.last_place < p.update_place AND NOT l.is_gradient AS is_divided,
    l.kept_place IS NOT NULL AS is_kept,
    CASE WHEN l.last_place >= p.update_place THEN l.kept_place ELSE p.end_place - 1 END AS until_place
  FROM life AS l
  JOIN memory_pass() AS p ON p.graph_id = l.graph_id AND l.first_place >= p.first_place AND l.first_place < p.update_place
  WHERE $batches::BIGINT > 1 AND l.is_made
),
-- what parts take that the step did not make, until the last of them
shared AS (
  SELECT l.graph_id, l.device, l.storage_id, l.life, l.bytes, p.update_place - 1 AS place
  FROM life AS l
  JOIN memory_pass() AS p ON p.graph_id = l.graph_id AND l.last_place >= p.first_place AND l.last_place < p.update_place - 1
  WHERE $batches::BIGINT > 1 AND $is_accumulated::BOOLEAN AND (NOT l.is_made OR l.first_place < p.first_place)
)
SELECT
  u.run_id, u.trace_id, u.graph_id, u.device, u.storage_id, u.life, u.graph_node_id, u.place,
  CASE WHEN coalesce(p.is_divided, false) THEN (u.bytes + $batches::BIGINT - 1) // $batches::BIGINT ELSE u.bytes END AS bytes,
  u.is_birth, u.is_written
FROM use AS u
LEFT JOIN placed AS p ON p.graph_id = u.graph_id AND p.device = u.device AND p.storage_id = u.storage_id AND p.life = u.life
UNION ALL
SELECT
  c.run_id, c.trace_id, p.graph_id, p.device, p.storage_id, -1 - p.life, c.graph_node_id, c.place, p.bytes, false, true
FROM placed AS p
JOIN memory_call() AS c ON c.graph_id = p.graph_id AND c.side = 'host' AND c.place IN (p.begin_place, p.until_place)
WHERE p.is_kept AND $is_accumulated::BOOLEAN
UNION ALL
SELECT
  c.run_id, c.trace_id, s.graph_id, s.device, s.storage_id, s.life, c.graph_node_id, c.place, s.bytes, false, false
FROM shared AS s
JOIN memory_call() AS c ON c.graph_id = s.graph_id AND c.side = 'host' AND c.place = s.place
ORDER BY graph_id, device, storage_id, life, place
