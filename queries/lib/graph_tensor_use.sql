/* ---
name = "graph_tensor_use"
version = 1
title = "Which host node takes and gives which tensor, and how far into its storage that reaches"
help = """
Of host execution traces and graphs linked with them, from tensor_use; of graphs imported without it (.et), from the texts
of their nodes. Device work has none of its own. extent_bytes is where the tensor ends in its storage: by its
strides where they are recorded, else offset and elements, for an expanded tensor more than there is; is_expanded marks
what operators give that stretch a tensor without moving it.
"""
grain = ["graph_node_id", "is_output", "argument", "ordinal"]
requires = { schema = ">=11", queries = ["graph_io@1"] }
portable = false

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
name = "graph_id"
type = "BIGINT"
unit = "ref graph.id"
help = "The graph"

[[column]]
name = "is_output"
type = "BOOLEAN"
unit = "bool"
help = "Whether the node gives it"

[[column]]
name = "argument"
type = "BIGINT"
unit = "count"
help = "Place among the inputs or outputs, from 0"

[[column]]
name = "ordinal"
type = "BIGINT"
unit = "count"
help = "Place among the tensors of that argument, from 0"

[[column]]
name = "tensor_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "The tensor"

[[column]]
name = "storage_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "The storage it is a view of"

[[column]]
name = "device"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Where it lives"

[[column]]
name = "extent_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Where it ends in its storage; NULL: not known"

[[column]]
name = "has_strides"
type = "BOOLEAN"
unit = "bool"
help = "Whether that is by strides"

[[column]]
name = "is_expanded"
type = "BOOLEAN"
unit = "bool"
help = "Whether it may be larger than its storage"

[changes]
1 = "first version"
--- */
WITH recorded AS MATERIALIZED (
  SELECT
    u.graph_node_id,
    u.trace_id,
    u.graph_id,
    u.is_output,
    u.argument,
    u.ordinal,
    t.tensor_id,
    t.storage_id,
    t.storage_offset,
    t.n_elements,
    t.element_bytes,
    t.device,
    TRY(from_json(t.shape_json, '["BIGINT"]')) AS shape,
    TRY(from_json(t.stride_json, '["BIGINT"]')) AS stride
  FROM tensor_use AS u
  JOIN tensor AS t ON t.id = u.tensor_id
),
linked AS (
  SELECT r.* REPLACE (n.id AS graph_node_id, n.trace_id AS trace_id, n.graph_id AS graph_id)
  FROM recorded AS r
  JOIN graph_node AS n ON n.of_node_id = r.graph_node_id
  WHERE coalesce(n.device_kind, 'cpu') = 'cpu'
),
bare AS (
  SELECT g.id
  FROM graph AS g
  ANTI JOIN (SELECT graph_id FROM tensor_use) AS u ON u.graph_id = g.id
  WHERE g.of_graph_id IS NULL
),
text_of AS (
  SELECT
    i.graph_node_id,
    i.trace_id,
    i.graph_id,
    unnest([false, true]) AS is_output,
    unnest([i.input_values, i.output_values]) AS text
  FROM graph_io() AS i
  JOIN bare AS b ON b.id = i.graph_id
  JOIN graph_node AS n ON n.id = i.graph_node_id
  WHERE coalesce(n.device_kind, 'cpu') = 'cpu'
),
found AS (
  SELECT
    *,
    regexp_extract_all(text, '\[((?:-?\d+, ?){5}["''][^"'',\[\]]*["''])\]', 1) AS tensors
  FROM text_of
  WHERE contains(text, ':') OR contains(text, 'cpu')
),
told AS (
  SELECT
    graph_node_id, trace_id, graph_id, is_output,
    generate_subscripts(tensors, 1) - 1 AS ordinal,
    string_split(unnest(tensors), ',') AS part
  FROM found
),
every_use AS (
  SELECT * FROM recorded
  UNION ALL
  SELECT * FROM linked
  UNION ALL
  SELECT
    graph_node_id, trace_id, graph_id, is_output, 0, ordinal,
    TRY_CAST(part[1] AS BIGINT),
    TRY_CAST(part[2] AS BIGINT),
    TRY_CAST(part[3] AS BIGINT),
    TRY_CAST(part[4] AS BIGINT),
    TRY_CAST(part[5] AS BIGINT),
    trim(part[6], ' "'''),
    NULL,
    NULL
  FROM told
)
SELECT
  e.graph_node_id,
  e.trace_id,
  e.graph_id,
  e.is_output,
  e.argument,
  e.ordinal,
  e.tensor_id,
  e.storage_id,
  e.device,
  TRY_CAST(e.element_bytes::DOUBLE * CASE
    WHEN e.n_elements <= 0 THEN 0
    WHEN len(e.stride) = len(e.shape) THEN
      e.storage_offset + 1 + coalesce(list_sum([
        greatest(e.shape[i] - 1, 0)::DOUBLE * e.stride[i] FOR i IN range(1, len(e.shape) + 1)
      ]), 0)
    ELSE e.storage_offset + e.n_elements
  END AS BIGINT) AS extent_bytes,
  coalesce(len(e.stride) = len(e.shape), false) AS has_strides,
  e.is_output AND coalesce(
    n.name IN (
      'aten::expand', 'aten::expand_as', 'aten::broadcast_tensors', 'aten::broadcast_to',
      'aten::as_strided', 'aten::unfold'
    ),
    false
  ) AS is_expanded
FROM every_use AS e
JOIN graph_node AS n ON n.id = e.graph_node_id
ORDER BY e.graph_node_id, e.is_output, e.argument, e.ordinal
