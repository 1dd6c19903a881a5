/* ---
name = "graph_tensor_use"
version = 1
title = "Tensors taken and returned by host nodes, with extent in their storage"
help = """
Covers host execution traces and graphs linked with them, from tensor_use, and graphs imported
without one (.et), from the text of their nodes. Device work has no tensors of its own. extent_bytes
is the end of the tensor in its storage: computed from strides if recorded, else from offset and
elements, which overstates an expanded tensor. is_expanded marks results of operators that expand a
tensor without copying it.
"""
grain = ["graph_node_id", "is_output", "argument", "ordinal"]
requires = { schema = ">=11", queries = ["graph_io@2"] }
scale = "trace"
columns = [
  "graph_node_id", "trace_id", "graph_id", "is_output", "argument", "ordinal", "tensor_id",
  "storage_id", "device", "extent_bytes", "has_strides", "is_expanded",
]

[column]
is_output = { type = "BOOLEAN", unit = "bool", help = "Whether the node returns it" }
argument = { type = "BIGINT", unit = "count", help = "Position among the inputs or outputs, from 0" }
ordinal = { type = "BIGINT", unit = "count", help = "Position among the tensors of the argument, from 0" }
tensor_id = { type = "BIGINT", unit = "source id", nullable = true, help = "Tensor" }
storage_id = { type = "BIGINT", unit = "source id", nullable = true, help = "Storage of the tensor" }
device = { type = "VARCHAR", unit = "text", nullable = true, help = "Device of the storage" }
has_strides = { type = "BOOLEAN", unit = "bool", help = "Whether extent_bytes was computed from strides" }
is_expanded = { type = "BOOLEAN", unit = "bool", help = "Whether it may exceed its storage" }

[column.extent_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "End of the tensor in its storage; NULL: unknown"

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
described AS (
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
  FROM described
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
