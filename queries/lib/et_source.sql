/* ---
name = "et_source"
version = 2
title = "What a node of a graph says of itself, for a Chakra file"
help = """
Linked graphs, imported ET+ files, which are such graphs in JSON, and host traces alike: where a linked graph
refers to the execution trace, its words are here. Attributes that the node does not have are NULL, and so
are those that are no integer below 2^63.
"""
grain = ["graph_node_id"]
requires = { schema = ">=10", queries = ["et_attribute@1"] }
portable = false

[param.graph_id]
type = "BIGINT"
help = "The graph: an execution trace, or one linked with a timeline"

[[column]]
name = "graph_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "The node"

[[column]]
name = "node_id"
type = "UBIGINT"
unit = "source id"
nullable = true
help = "Its id in the graph"

[[column]]
name = "parent_id"
type = "BIGINT"
unit = "ref graph_node.id"
nullable = true
help = "Its parent, where that is another node of the graph"

[[column]]
name = "text_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "The node that has its inputs, outputs and attributes: itself, or one of the execution trace"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "is_device"
type = "BOOLEAN"
unit = "bool"
help = "Whether it is device work"

[[column]]
name = "stream"
type = "BIGINT"
unit = "source id"
nullable = true
help = "Stream of device work; 0 on the host; NULL: not said"

[[column]]
name = "group_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Process group, as the timeline says it of a kernel of NCCL"

[[column]]
name = "stated_thread_id"
type = "UBIGINT"
unit = "source id"
nullable = true
help = "Node of another thread that it says it waits for, in ET+ files"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start as the graph states it"

[[column]]
name = "exclusive_us"
type = "DOUBLE"
unit = "us"
nullable = true
help = "Its own time, without operators inside of it; NULL: it was not linked"

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
2 = "the same rows, faster"
--- */
WITH parent AS (
  SELECT to_node_id, min_by(from_node_id, ordinal) AS from_node_id
  FROM graph_edge
  WHERE graph_id = $graph_id::BIGINT AND kind = 'control' AND from_node_id <> to_node_id
  GROUP BY to_node_id
),
node AS (
  SELECT *, coalesce(of_node_id, id) AS text_id, coalesce(device_kind = 'gpu', false) AS is_device
  FROM graph_node
  WHERE graph_id = $graph_id::BIGINT
),
span AS (
  SELECT min(text_id) AS first_id, max(text_id) AS last_id FROM node
)
SELECT
  n.id AS graph_node_id,
  n.node_id,
  p.from_node_id AS parent_id,
  n.text_id,
  n.name,
  n.is_device,
  CASE
    WHEN contains(n.extra_json, '"stream"') THEN TRY_CAST(n.extra_json ->> 'stream' AS BIGINT)
    WHEN n.is_device AND n.slice_id IS NOT NULL THEN g.stream
    ELSE 0
  END AS stream,
  coalesce(
    CASE WHEN contains(n.extra_json, '"pg_name"') THEN n.extra_json ->> 'pg_name' END, c.group_name
  ) AS group_name,
  CASE WHEN contains(n.extra_json, '"inter_thread_dep"')
    THEN TRY_CAST(n.extra_json ->> 'inter_thread_dep' AS UBIGINT)
  END AS stated_thread_id,
  n.start_ns,
  n.exclusive_us,
  a.rf_id,
  a.fw_parent,
  a.seq_id,
  a.scope,
  a.tid,
  a.fw_tid,
  a.op_schema
FROM node AS n
LEFT JOIN parent AS p ON p.to_node_id = n.id
LEFT JOIN et_attribute((SELECT first_id FROM span), (SELECT last_id FROM span)) AS a
  ON a.graph_node_id = n.text_id
LEFT JOIN gpu_op AS g ON g.slice_id = n.slice_id
LEFT JOIN collective AS c
  ON c.slice_id = n.slice_id
  AND c.side = 'device'
  AND contains(n.name, 'ncclDevKernel')
