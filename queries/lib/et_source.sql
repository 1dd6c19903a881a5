/* ---
name = "et_source"
version = 2
title = "Recorded fields of graph nodes, for a Chakra file"
help = """
Covers linked graphs, imported ET+ files (linked graphs in JSON) and host traces. Where a linked
graph refers to the execution trace, the values of that trace are returned. Attributes that the node
lacks, or that are not integers below 2^63, are NULL.
"""
grain = ["graph_node_id"]
requires = { schema = ">=10", queries = ["et_attribute@1"] }
scale = "run"
columns = [
  "graph_node_id", "node_id", "parent_id", "text_id", "name", "is_device", "stream", "group_name",
  "stated_thread_id", "start_ns", "exclusive_us", "rf_id", "fw_parent", "seq_id", "scope", "tid",
  "fw_tid", "op_schema",
]

[param.graph_id]
type = "BIGINT"
help = "Graph: an execution trace, or one linked with a timeline"

[column]
node_id.help = "Node id in the graph"
text_id.help = "Node with its inputs, outputs and attributes: itself, or one of the execution trace"
is_device = { type = "BOOLEAN", unit = "bool", help = "Whether it is device work" }
group_name.help = "Process group, as recorded on the timeline for an NCCL kernel"
start_ns = { nullable = true, help = "Recorded start" }
exclusive_us.help = "Self time, excluding nested operators; NULL: not linked"
tid = { type = "BIGINT", unit = "source id", nullable = true, help = "Thread, as numbered in the execution trace" }

[column.parent_id]
type = "BIGINT"
unit = "ref graph_node.id"
nullable = true
help = "Parent node, if it is another node of the graph"

[column.stream]
type = "BIGINT"
unit = "source id"
nullable = true
help = "Stream of device work; 0 on the host; NULL: not recorded"

[column.stated_thread_id]
type = "UBIGINT"
unit = "source id"
nullable = true
help = "Node of another thread that it waits for, as recorded in ET+ files"

[changes]
1 = "first version"
2 = "same rows, faster"
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
