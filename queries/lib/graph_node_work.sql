/* ---
name = "graph_node_work"
version = 2
title = "Operations, bytes and device time of the nodes of graphs, from the shapes they record"
help = """
Only host nodes that shape_work has a formula for, and nodes of Chakra files that state num_ops or
tensor_size themselves (ASTRA-sim's attributes); of several on the way from the root the outermost alone, so that
nothing counts twice. Host traces, imported files and linked graphs each have their own rows. Device time is
that of all device nodes below; a host trace has none.
"""
grain = ["graph_node_id"]
requires = { schema = ">=8", queries = ["graph_call@2", "graph_io@2", "shape_work@2"] }
portable = false

[param.graph_id]
type = "BIGINT"
unit = "ref graph.id"
nullable = true
help = "Only the nodes of this graph"

[[column]]
name = "graph_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "The node"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

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
name = "name"
type = "VARCHAR"
unit = "text"
help = "Its name"

[[column]]
name = "model"
type = "VARCHAR"
unit = "text"
help = "Which formula of shape_work, or recorded: the graph states the node's work itself"

[[column]]
name = "input_shapes"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Shapes of the inputs"

[[column]]
name = "input_types"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Types of the inputs"

[[column]]
name = "flops"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Floating-point operations; NULL: not known"

[[column]]
name = "bytes_read"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Least that must be read; NULL: not known"

[[column]]
name = "bytes_written"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Least that must be written; NULL: not known"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Both together; of a recorded node what it states"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Device work launched in it"

[[column]]
name = "device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of that"

[[column]]
name = "host_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time on the host, with all that runs in it; NULL: the graph has no times"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "Where its device work ran; of several the first; NULL: nowhere, or the graph is not linked"

[changes]
1 = "first version"
2 = "the parameter graph_id"
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
