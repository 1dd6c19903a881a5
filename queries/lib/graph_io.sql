/* ---
name = "graph_io"
version = 2
title = "Shapes, types and values of what the nodes of a graph take and give, as JSON"
help = """
One row a node, of host traces, files and linked graphs alike; nodes of a linked graph have those of
the node they stand for, device work those of the operator that launched it. Files of Chakra's protobuf hold these
lists as Python writes them; where the importer could not read one, its values are that text. What
node does not say, is NULL.
"""
grain = ["graph_node_id"]
requires = { schema = ">=8", queries = ["shape_model@1"] }

[param.only_work]
type = "BOOLEAN"
default = false
help = "Only nodes with the name of an operator in shape_model"

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
name = "graph_id"
type = "BIGINT"
unit = "ref graph.id"
help = "The graph"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The node's name"

[[column]]
name = "input_shapes"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Shapes of the inputs: [] for what is no tensor, a list of shapes for a list of tensors"

[[column]]
name = "input_types"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Their types: Tensor(float), Int, GenericList[Tensor(float)], ..."

[[column]]
name = "input_values"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Their values; of a tensor its id, storage, offset, elements, bytes an element and device"

[[column]]
name = "input_scalars"
type = "VARCHAR"
unit = "json"
nullable = true
help = "The values with 0 in place of every tensor, so that equal calls are equal"

[[column]]
name = "output_shapes"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Shapes of the outputs"

[[column]]
name = "output_types"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Their types"

[[column]]
name = "output_values"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Their values"

[changes]
1 = "first version"
2 = "the parameter graph_id; the same rows, each text read once"
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
-- Nodes of several graphs share a text: it is read once for all.
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
  -- as Python writes a list, or as JSON does
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
