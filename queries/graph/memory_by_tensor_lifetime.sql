/* ---
name = "memory_by_tensor_lifetime"
version = 1
title = "How long each piece of memory a graph names is live, and who holds it at the peak"
help = """
Storages, not tensors: views of one storage are one. A life begins at the operator that gives a storage it did not take (the innermost, since
those around it give the same), or with the graph where none does: weights, inputs of the program. It ends at the last
operator that takes it. A storage that is given anew begins another life. A storage is as large as its tensors
reach; undefined tensors, which live nowhere, are left out. Order is that of node numbers, in which the host ran; device memory is given back in that order, too. live_bytes and peak_bytes are sums over
the lives of one graph on one device: what operators name, not what an allocator holds. Works on host execution traces, imported .et and linked graphs; only
the latter have times.
"""
grain = ["graph_id", "device", "storage_id", "life"]
requires = { schema = ">=11", queries = ["graph_call@1", "graph_tensor_use@1"] }
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
name = "device"
type = "VARCHAR"
unit = "text"
help = "Where it lives"

[[column]]
name = "storage_id"
type = "BIGINT"
unit = "source id"
help = "The storage"

[[column]]
name = "life"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Which of the lives of this number, from 0"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Its size; NULL: not known"

[[column]]
name = "is_produced"
type = "BOOLEAN"
unit = "bool"
help = "Whether an operator of the graph gives it; false: it is there from the start"

[[column]]
name = "producer_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "That operator, else the first that takes it"

[[column]]
name = "producer"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "consumer_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "The last operator that takes or gives it"

[[column]]
name = "consumer"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "first_order"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Place of the producer among the host nodes of the graph, from 0; 0 where none produces it"

[[column]]
name = "last_order"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Place of the last consumer"

[[column]]
name = "n_uses"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Operators that take or give it"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start of the producer; NULL: the graph has no times"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "End of the last consumer and of device work it launched; NULL likewise"

[[column]]
name = "live_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Live on the device when this life has begun"

[[column]]
name = "peak_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Most that is live at once on this device in this graph"

[[column]]
name = "is_live_at_peak"
type = "BOOLEAN"
unit = "bool"
help = "Whether it is live when that is first reached"

[changes]
1 = "first version"
--- */
WITH host AS MATERIALIZED (
  SELECT
    graph_node_id, graph_id, parent_id, name, start_ns, dur_ns,
    row_number() OVER (PARTITION BY graph_id ORDER BY node_id, graph_node_id) - 1 AS place
  FROM graph_call()
  WHERE side = 'host'
),
device_end AS (
  SELECT parent_id, max(start_ns + dur_ns) AS end_ns
  FROM graph_call()
  WHERE side = 'device' AND parent_id IS NOT NULL
  GROUP BY parent_id
),
use AS MATERIALIZED (
  SELECT
    u.graph_id,
    u.device,
    u.storage_id,
    h.graph_node_id,
    h.parent_id,
    h.place,
    bool_or(u.is_output) AS is_given,
    bool_or(NOT u.is_output) AS is_taken,
    max(u.extent_bytes) FILTER (NOT u.is_expanded OR u.has_strides) AS bytes
  FROM graph_tensor_use() AS u
  JOIN host AS h ON h.graph_node_id = u.graph_node_id
  WHERE u.storage_id IS NOT NULL AND u.device <> ''
  GROUP BY u.graph_id, u.device, u.storage_id, h.graph_node_id, h.parent_id, h.place
),
given AS MATERIALIZED (
  SELECT graph_id, device, storage_id, graph_node_id, parent_id
  FROM use
  WHERE is_given AND NOT is_taken
),
around AS (
  SELECT DISTINCT i.parent_id AS graph_node_id, i.device, i.storage_id
  FROM given AS i
),
marked AS (
  SELECT
    u.*,
    u.is_given AND NOT u.is_taken AND a.graph_node_id IS NULL AS is_birth
  FROM use AS u
  LEFT JOIN around AS a
    ON a.graph_node_id = u.graph_node_id AND a.device = u.device AND a.storage_id = u.storage_id
  -- operators around the one that gives it only pass it on
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
),
life AS (
  SELECT
    graph_id,
    device,
    storage_id,
    birth,
    max(bytes) AS bytes,
    bool_or(is_birth) AS is_produced,
    min_by(graph_node_id, place) AS producer_node_id,
    max_by(graph_node_id, place) AS consumer_node_id,
    CASE WHEN bool_or(is_birth) THEN min(place) ELSE 0 END AS first_order,
    max(place) AS last_order,
    count(*) AS n_uses
  FROM numbered
  GROUP BY graph_id, device, storage_id, birth
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
  row_number() OVER (PARTITION BY l.graph_id, l.device, l.storage_id ORDER BY l.birth) - 1 AS life,
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
