/* ---
name = "et_attribute"
version = 1
title = "Attributes of execution trace nodes, for a Chakra file"
help = """
One row per node. Attributes that the node lacks, or that are not integers below 2^63, are NULL.
Nodes of linked graphs and device work have the attributes of the node they refer to, which this
query does not resolve.
"""
grain = ["graph_node_id"]
requires = { schema = ">=10" }
scale = "trace"
columns = ["graph_node_id", "rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "op_schema"]

[param.first_id]
type = "BIGINT"
unit = "ref graph_node.id"
nullable = true
help = "First node id"

[param.last_id]
type = "BIGINT"
unit = "ref graph_node.id"
nullable = true
help = "Last node id"

[column]
tid = { type = "BIGINT", unit = "source id", nullable = true, help = "Thread, as numbered in the execution trace" }

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
    -- Three names and three values, at the positions where PyTorch writes them.
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
