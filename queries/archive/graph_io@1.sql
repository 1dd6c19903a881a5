/* ---
name = "graph_io"
version = 1
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
--- */
WITH text_of AS (
  SELECT
    n.id,
    n.trace_id,
    n.graph_id,
    n.name,
    TRY_CAST(coalesce(n.inputs_json, h.inputs_json) AS JSON) AS inputs,
    TRY_CAST(coalesce(n.outputs_json, h.outputs_json) AS JSON) AS outputs
  FROM graph_node AS n
  LEFT JOIN graph_node AS h ON h.id = n.of_node_id
  WHERE NOT $only_work::BOOLEAN OR n.name IN (SELECT name FROM shape_model())
),
part AS (
  SELECT
    id,
    trace_id,
    graph_id,
    name,
    json_extract_string(inputs, ['$.shapes', '$.types', '$.values']) AS i,
    json_extract_string(outputs, ['$.shapes', '$.types', '$.values']) AS o,
    json_type(inputs, '$.types') = 'VARCHAR' AS is_python_input,
    json_type(outputs, '$.types') = 'VARCHAR' AS is_python_output
  FROM text_of
)
SELECT
  id AS graph_node_id,
  trace_id,
  graph_id,
  name,
  i[1] AS input_shapes,
  CASE WHEN is_python_input THEN replace(i[2], '''', '"') ELSE i[2] END AS input_types,
  i[3] AS input_values,
  regexp_replace(
    i[3], '\[-?\d+, ?-?\d+, ?-?\d+, ?-?\d+, ?-?\d+, ?["''][^"'']*["'']\]', '0', 'g'
  ) AS input_scalars,
  o[1] AS output_shapes,
  CASE WHEN is_python_output THEN replace(o[2], '''', '"') ELSE o[2] END AS output_types,
  o[3] AS output_values
FROM part
