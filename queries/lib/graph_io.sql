/* ---
name = "graph_io"
version = 2
title = "Shapes, types and values of node inputs and outputs, as JSON"
help = """
One row per node of host traces, files and linked graphs. Nodes of a linked graph have the values of
the node they represent, device work those of the operator that launched it. Chakra's protobuf files
hold these lists in Python syntax; where the importer could not parse one, its values are that text.
Fields that the node does not record are NULL.
"""
grain = ["graph_node_id"]
requires = { schema = ">=8", queries = ["shape_model@2"] }
scale = "trace"
columns = [
  "graph_node_id", "trace_id", "graph_id", "name", "input_shapes", "input_types", "input_values",
  "input_scalars", "output_shapes", "output_types", "output_values",
]

[param.only_work]
type = "BOOLEAN"
default = false
help = "Restrict to nodes named after an operator in shape_model"

[param.graph_id]
type = "BIGINT"
unit = "ref graph.id"
nullable = true
help = "Restrict to the nodes of this graph"

[column]
name.help = "Node name"
input_shapes.help = "Input shapes: [] for values that are not tensors, a list of shapes for a list of tensors"
input_types.help = "Input types: Tensor(float), Int, GenericList[Tensor(float)], ..."
output_shapes = { type = "VARCHAR", unit = "json", nullable = true, help = "Output shapes" }
output_types = { type = "VARCHAR", unit = "json", nullable = true, help = "Output types" }
output_values = { type = "VARCHAR", unit = "json", nullable = true, help = "Output values" }

[column.input_values]
type = "VARCHAR"
unit = "json"
nullable = true
help = "Input values; for a tensor its id, storage, offset, elements, bytes per element and device"

[column.input_scalars]
type = "VARCHAR"
unit = "json"
nullable = true
help = "Input values with 0 in place of every tensor, so equal calls are equal"

[changes]
1 = "first version"
2 = "new parameter graph_id; same rows, each text read once"
--- */
WITH node AS (
  SELECT
    id,
    trace_id,
    graph_id,
    name,
    CASE WHEN inputs_json IS NULL AND outputs_json IS NULL THEN coalesce(of_node_id, id) ELSE id END
      AS text_id
  FROM graph_node
  WHERE ($graph_id::BIGINT IS NULL OR graph_id = $graph_id::BIGINT)
    AND (NOT $only_work::BOOLEAN OR name IN (SELECT name FROM shape_model()))
),
-- Nodes of several graphs share a text: each text is parsed once.
part AS MATERIALIZED (
  SELECT
    id,
    TRY(json_extract_string(inputs_json, ['$.shapes', '$.types', '$.values'])) AS i,
    TRY(json_extract_string(outputs_json, ['$.shapes', '$.types', '$.values'])) AS o
  FROM graph_node
  WHERE id IN (SELECT text_id FROM node)
)
SELECT
  n.id AS graph_node_id,
  n.trace_id,
  n.graph_id,
  n.name,
  p.i[1] AS input_shapes,
  -- Lists in Python or JSON syntax.
  CASE WHEN starts_with(p.i[2], '[''') THEN replace(p.i[2], '''', '"') ELSE p.i[2] END AS input_types,
  p.i[3] AS input_values,
  regexp_replace(
    p.i[3], '\[-?\d+, ?-?\d+, ?-?\d+, ?-?\d+, ?-?\d+, ?["''][^"'']*["'']\]', '0', 'g'
  ) AS input_scalars,
  p.o[1] AS output_shapes,
  CASE WHEN starts_with(p.o[2], '[''') THEN replace(p.o[2], '''', '"') ELSE p.o[2] END AS output_types,
  p.o[3] AS output_values
FROM node AS n
LEFT JOIN part AS p ON p.id = n.text_id
