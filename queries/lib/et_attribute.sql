/* ---
name = "et_attribute"
version = 1
title = "What the attributes of a node of an execution trace say, for a Chakra file"
help = """
One row a node. Attributes that the node does not have are NULL, and so are those that are no integer below
2^63. Nodes of linked graphs and device work have those of the node they refer to, which is not looked up
here.
"""
grain = ["graph_node_id"]
requires = { schema = ">=10" }

[param.first_id]
type = "BIGINT"
unit = "ref graph_node.id"
nullable = true
help = "Only from this node"

[param.last_id]
type = "BIGINT"
unit = "ref graph_node.id"
nullable = true
help = "Only up to this node"

[[column]]
name = "graph_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "The node"

[[column]]
name = "rf_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Record function id"

[[column]]
name = "fw_parent"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Forward operator's node"

[[column]]
name = "seq_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Sequence number"

[[column]]
name = "scope"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Record scope"

[[column]]
name = "tid"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Thread, as the execution trace counts threads"

[[column]]
name = "fw_tid"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Thread of the forward operator"

[[column]]
name = "op_schema"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Operator schema"

[changes]
1 = "first version"
--- */
WITH read AS (
  SELECT
    id,
    record_function_id,
    sequence_number,
    thread_id,
    op_schema,
    attributes_json,
    -- three names and three values, at the places where PyTorch writes them
    json_extract_string(attributes_json, [
      '$[1].name', '$[3].name', '$[5].name', '$[1].value', '$[3].value', '$[5].value'
    ]) AS found
  FROM graph_node
  WHERE ($first_id::BIGINT IS NULL OR id >= $first_id::BIGINT)
    AND ($last_id::BIGINT IS NULL OR id <= $last_id::BIGINT)
),
stated AS (
  SELECT
    *,
    found[:3] = ['fw_parent', 'scope', 'fw_tid'] AS is_usual,
    CASE WHEN NOT coalesce(is_usual, false) THEN TRY(
      from_json(attributes_json, '[{"name": "VARCHAR", "value": "VARCHAR"}]')
    ) END AS attributes
  FROM read
)
SELECT
  id AS graph_node_id,
  record_function_id AS rf_id,
  TRY_CAST(
    CASE WHEN is_usual THEN found[4]
      ELSE list_filter(attributes, lambda x: x.name = 'fw_parent')[1].value
    END AS BIGINT
  ) AS fw_parent,
  sequence_number AS seq_id,
  TRY_CAST(
    CASE WHEN is_usual THEN found[5]
      ELSE list_filter(attributes, lambda x: x.name = 'scope')[1].value
    END AS BIGINT
  ) AS scope,
  thread_id AS tid,
  TRY_CAST(
    CASE WHEN is_usual THEN found[6]
      ELSE list_filter(attributes, lambda x: x.name = 'fw_tid')[1].value
    END AS BIGINT
  ) AS fw_tid,
  op_schema
FROM stated
