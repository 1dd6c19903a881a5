/* ---
name = "graph_node_work"
version = 2
title = "Operations, bytes and device time of graph nodes, from recorded shapes"
help = """
Only host nodes with a formula in shape_work, and Chakra nodes that give num_ops or tensor_size
themselves (attributes of ASTRA-sim). Of several such nodes on a path from the root only the
outermost counts, so nothing is counted twice. Host traces, imported files and linked graphs each
have their own rows. Device time is that of all device nodes below; a host trace has none.
"""
grain = ["graph_node_id"]
requires = { schema = ">=8", queries = ["graph_call@2", "graph_io@2", "shape_work@3"] }
scale = "run"
columns = [
  "graph_node_id", "trace_id", "run_id", "rank", "graph_id", "graph_kind", "link_set", "name",
  "model", "input_shapes", "input_types", "flops", "bytes_read", "bytes_written", "bytes",
  "n_device_ops", "device_ns", "host_ns", "device_id",
]

[param.graph_id]
type = "BIGINT"
unit = "ref graph.id"
nullable = true
help = "Restrict to the nodes of this graph"

[column]
name.nullable = false
model.help = "Formula in shape_work, or recorded: the graph records the work of the node"
n_device_ops.help = "Device work launched in it"
device_id.help = "Device of its work; the first of several; NULL: none, or the graph is not linked"

[column.bytes]
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "bytes_read + bytes_written; of a recorded node the recorded value"

[changes]
1 = "first version"
2 = "new parameter graph_id"
--- */
WITH RECURSIVE formula AS MATERIALIZED (
  SELECT *
  FROM shape_work('graph', $graph_id::BIGINT)
  WHERE flops >= 0 OR bytes_read >= 0 OR bytes_written >= 0
),
call AS MATERIALIZED (
  SELECT * FROM graph_call($graph_id::BIGINT)
),
stated AS (
  SELECT
    id,
    TRY_CAST(list_filter(attributes, lambda a: a.name = 'num_ops')[1].value AS DOUBLE) AS flops,
    TRY_CAST(list_filter(attributes, lambda a: a.name = 'tensor_size')[1].value AS DOUBLE) AS bytes
  FROM (
    SELECT
      id,
      TRY(from_json(attributes_json, '[{"name": "VARCHAR", "value": "VARCHAR"}]')) AS attributes
    FROM graph_node
    WHERE type IS NOT NULL
      AND (contains(attributes_json, '"num_ops"') OR contains(attributes_json, '"tensor_size"'))
      AND ($graph_id::BIGINT IS NULL OR graph_id = $graph_id::BIGINT)
  )
),
shaped AS (
  SELECT
    i.graph_node_id,
    f.model,
    i.input_shapes,
    i.input_types,
    f.flops,
    f.bytes_read,
    f.bytes_written,
    f.bytes_read + f.bytes_written AS bytes
  FROM graph_io(true, $graph_id::BIGINT) AS i
  JOIN formula AS f
    ON f.name = i.name
    AND f.shapes = i.input_shapes
    AND f.types IS NOT DISTINCT FROM i.input_types
    AND f.output_shapes IS NOT DISTINCT FROM i.output_shapes
    AND f.output_types IS NOT DISTINCT FROM i.output_types
    AND (f.scalars IS NULL OR f.scalars = i.input_scalars)
),
worked AS MATERIALIZED (
  SELECT * FROM shaped
  UNION ALL
  SELECT s.id, 'recorded', NULL, NULL, s.flops, NULL, NULL, s.bytes
  FROM stated AS s
  ANTI JOIN shaped AS w ON w.graph_node_id = s.id
  WHERE s.flops >= 0 OR s.bytes >= 0
),
node AS MATERIALIZED (
  SELECT c.graph_node_id, c.parent_id, w.graph_node_id IS NOT NULL AS has_work
  FROM call AS c
  LEFT JOIN worked AS w ON w.graph_node_id = c.graph_node_id
),
walk AS (
  SELECT graph_node_id, CASE WHEN has_work THEN graph_node_id END AS work_node_id
  FROM node
  WHERE parent_id IS NULL
  UNION ALL
  SELECT n.graph_node_id, coalesce(w.work_node_id, CASE WHEN n.has_work THEN n.graph_node_id END)
  FROM walk AS w
  JOIN node AS n ON n.parent_id = w.graph_node_id
),
timed AS (
  SELECT
    w.work_node_id,
    count(*) FILTER (c.side = 'device') AS n_device_ops,
    coalesce(sum(c.self_ns) FILTER (c.side = 'device'), 0) AS device_ns,
    sum(c.self_ns) FILTER (c.side = 'host') AS host_ns,
    min(g.device_id) AS device_id
  FROM call AS c
  JOIN walk AS w ON w.graph_node_id = c.graph_node_id
  LEFT JOIN gpu_op AS g ON g.slice_id = c.slice_id AND c.side = 'device'
  WHERE w.work_node_id IS NOT NULL
  GROUP BY w.work_node_id
)
SELECT
  c.graph_node_id,
  c.trace_id,
  c.run_id,
  c.rank,
  c.graph_id,
  c.graph_kind,
  c.link_set,
  c.name,
  w.model,
  w.input_shapes,
  w.input_types,
  TRY_CAST(w.flops AS BIGINT) AS flops,
  TRY_CAST(w.bytes_read AS BIGINT) AS bytes_read,
  TRY_CAST(w.bytes_written AS BIGINT) AS bytes_written,
  TRY_CAST(w.bytes AS BIGINT) AS bytes,
  t.n_device_ops,
  t.device_ns::BIGINT AS device_ns,
  t.host_ns::BIGINT AS host_ns,
  t.device_id
FROM timed AS t
JOIN worked AS w ON w.graph_node_id = t.work_node_id
JOIN call AS c ON c.graph_node_id = t.work_node_id
