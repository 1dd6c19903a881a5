/* ---
name = "memory_by_tensor_lifetime"
version = 1
title = "Storage lifetimes of graph tensors, and storages live at the peak"
help = """
Rows are storages, not tensors: views of one storage are one row. A lifetime begins at the operator
that returns a storage it did not take (the innermost, because the enclosing operators return the
same), or with the graph if no operator does: weights and program inputs. It ends at the last
operator that takes the storage. A storage returned again begins another lifetime. The size of a
storage is the extent of its tensors; undefined tensors, which have no storage, are excluded. Order
is that of node numbers, which is host execution order and also the order in which device memory is
released. live_bytes and peak_bytes are sums over the lifetimes of one graph on one device: tensors
named by operators, not the memory held by an allocator. Works on host execution traces, imported
.et files and linked graphs; only linked graphs have times.
"""
grain = ["graph_id", "device", "storage_id", "life"]
requires = { schema = ">=11", queries = ["graph_call@2", "memory_use@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "graph_id", "graph_kind", "link_set", "device", "storage_id",
  "life", "bytes", "is_produced", "producer_node_id", "producer", "consumer_node_id", "consumer",
  "first_order", "last_order", "n_uses", "start_ns", "end_ns", "live_bytes", "peak_bytes",
  "is_live_at_peak",
]

[column]
device = { type = "VARCHAR", unit = "text", help = "Device of the storage" }
storage_id = { type = "BIGINT", unit = "source id", help = "Storage" }
life = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of the lifetime of this storage, from 0" }
bytes = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "Size of the storage; NULL: unknown" }
producer = { type = "VARCHAR", unit = "text", nullable = true, help = "Name of the producer" }
n_uses = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of operators that take or return it" }
start_ns = { nullable = true, help = "Start of the producer; NULL: the graph has no times" }
is_live_at_peak = { type = "BOOLEAN", unit = "bool", help = "Whether it is live when the peak is first reached" }

[column.is_produced]
type = "BOOLEAN"
unit = "bool"
help = "Whether an operator of the graph returns it; false: it exists from the start"

[column.producer_node_id]
type = "BIGINT"
unit = "ref graph_node.id"
help = "Operator that returns the storage, else the first that takes it"

[column.consumer_node_id]
type = "BIGINT"
unit = "ref graph_node.id"
help = "Last operator that takes or returns the storage"

[column.consumer]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the last operator that takes or returns the storage"

[column.first_order]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Position of the producer among the host nodes of the graph, from 0; 0 without a producer"

[column.last_order]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Position of the last consumer among the host nodes of the graph, from 0"

[column.end_ns]
nullable = true
help = "End of the last consumer and of device work it launched; NULL: the graph has no times"

[column.live_bytes]
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Bytes live on the device after this lifetime begins"

[column.peak_bytes]
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Maximum of bytes live at once on this device in this graph"

[changes]
1 = "first version"
--- */
WITH host AS MATERIALIZED (
  SELECT graph_node_id, name, start_ns, dur_ns FROM graph_call() WHERE side = 'host'
),
device_end AS (
  SELECT parent_id, max(start_ns + dur_ns) AS end_ns
  FROM graph_call()
  WHERE side = 'device' AND parent_id IS NOT NULL
  GROUP BY parent_id
),
life AS MATERIALIZED (
  SELECT
    graph_id,
    device,
    storage_id,
    life,
    max(bytes) AS bytes,
    bool_or(is_birth) AS is_produced,
    min_by(graph_node_id, place) AS producer_node_id,
    max_by(graph_node_id, place) AS consumer_node_id,
    CASE WHEN bool_or(is_birth) THEN min(place) ELSE 0 END AS first_order,
    max(place) AS last_order,
    count(*) AS n_uses
  FROM memory_use()
  GROUP BY graph_id, device, storage_id, life
),
change AS (
  SELECT graph_id, device, first_order AS at_order, sum(coalesce(bytes, 0)) AS bytes
  FROM life
  GROUP BY graph_id, device, first_order
  UNION ALL
  SELECT graph_id, device, last_order + 1, -sum(coalesce(bytes, 0))
  FROM life
  GROUP BY graph_id, device, last_order
),
level AS MATERIALIZED (
  SELECT
    graph_id,
    device,
    at_order,
    sum(sum(bytes)) OVER (
      PARTITION BY graph_id, device ORDER BY at_order
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )::BIGINT AS live_bytes
  FROM change
  GROUP BY graph_id, device, at_order
),
peak AS (
  SELECT
    graph_id,
    device,
    max(live_bytes) AS peak_bytes,
    min_by(at_order, (-live_bytes, at_order)) AS peak_order
  FROM level
  GROUP BY graph_id, device
)
SELECT
  t.run_id,
  t.id AS trace_id,
  t.rank,
  l.graph_id,
  g.kind AS graph_kind,
  g.link_set,
  l.device,
  l.storage_id,
  l.life,
  l.bytes,
  l.is_produced,
  l.producer_node_id,
  a.name AS producer,
  l.consumer_node_id,
  b.name AS consumer,
  l.first_order,
  l.last_order,
  l.n_uses,
  a.start_ns,
  greatest(b.start_ns + b.dur_ns, e.end_ns) AS end_ns,
  v.live_bytes,
  p.peak_bytes,
  l.first_order <= p.peak_order AND p.peak_order <= l.last_order AS is_live_at_peak
FROM life AS l
JOIN graph AS g ON g.id = l.graph_id
JOIN trace AS t ON t.id = g.trace_id
JOIN host AS a ON a.graph_node_id = l.producer_node_id
JOIN host AS b ON b.graph_node_id = l.consumer_node_id
JOIN level AS v ON v.graph_id = l.graph_id AND v.device = l.device AND v.at_order = l.first_order
JOIN peak AS p ON p.graph_id = l.graph_id AND p.device = l.device
LEFT JOIN device_end AS e ON e.parent_id = l.consumer_node_id
ORDER BY
  t.run_id, t.rank, t.id, l.graph_id, l.device, is_live_at_peak DESC, l.bytes DESC NULLS LAST, l.storage_id, life
