/* ---
name = "chakra_nodes"
version = 1
title = "Chakra nodes with all fields, one row per node"
help = """
With --format jsonl, one JSON object per line; with --format csv or xlsx, a table. Columns are those
of Chakra's protobuf messages; attributes are {name: value}, inputs and outputs are JSON. A host
execution trace has no node types and no data dependencies; nodes of a linked graph have the inputs,
outputs and attributes of the operator they represent.
"""
grain = ["graph_node_id"]
requires = { schema = ">=11" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "graph_id", "graph_kind", "link_set", "graph_node_id", "id", "name",
  "type", "ctrl_deps", "data_deps", "start_time_micros", "duration_micros", "is_cpu_op", "inputs",
  "outputs", "attributes", "extra",
]

[column]
id = { type = "UBIGINT", unit = "source id", nullable = true, help = "Node id in the graph" }
type.help = "COMP_NODE, COMM_COLL_NODE, ...; NULL: not recorded"
ctrl_deps.help = "Ids of the calling nodes"
data_deps.help = "Ids of the nodes it waits for, over all other kinds of edges"
start_time_micros = { type = "DOUBLE", unit = "us", nullable = true, help = "Recorded start" }
duration_micros = { type = "DOUBLE", unit = "us", nullable = true, help = "Recorded duration" }
is_cpu_op.help = "Whether it runs on the host"
inputs = { type = "VARCHAR", unit = "json", nullable = true, help = "Values, shapes and types of the inputs" }
outputs = { type = "VARCHAR", unit = "json", nullable = true, help = "Values, shapes and types of the outputs" }
extra = { type = "VARCHAR", unit = "json", nullable = true, help = "Remaining fields of the node" }

[column.attributes]
type = "VARCHAR"
unit = "json"
nullable = true
help = "Attributes by name; the last one of equal names"

[changes]
1 = "first version"
--- */
WITH dependency AS (
  SELECT
    e.to_node_id AS id,
    list(n.node_id ORDER BY e.ordinal, e.id) FILTER (e.kind = 'control') AS ctrl_deps,
    list(n.node_id ORDER BY e.ordinal, e.id) FILTER (e.kind <> 'control') AS data_deps
  FROM graph_edge AS e
  JOIN graph_node AS n ON n.id = e.from_node_id
  GROUP BY e.to_node_id
),
attribute AS (
  SELECT
    id,
    list_transform(
      TRY(from_json(attributes_json, '[{"name": "VARCHAR", "value": "JSON"}]')),
      lambda a: to_json(a.name)::VARCHAR || ':' || coalesce(a.value::VARCHAR, 'null')
    ) AS entries
  FROM (
    SELECT n.id, coalesce(n.attributes_json, h.attributes_json) AS attributes_json
    FROM graph_node AS n
    LEFT JOIN graph_node AS h ON h.id = n.of_node_id
  )
)
SELECT
  t.run_id,
  t.id AS trace_id,
  t.rank,
  g.id AS graph_id,
  g.kind AS graph_kind,
  g.link_set,
  n.id AS graph_node_id,
  n.node_id AS id,
  n.name,
  n.type,
  coalesce(d.ctrl_deps, []) AS ctrl_deps,
  coalesce(d.data_deps, []) AS data_deps,
  n.start_ns / 1000 AS start_time_micros,
  n.dur_ns / 1000 AS duration_micros,
  coalesce(n.device_kind, 'cpu') = 'cpu' AS is_cpu_op,
  coalesce(n.inputs_json, h.inputs_json) AS inputs,
  coalesce(n.outputs_json, h.outputs_json) AS outputs,
  '{' || array_to_string(a.entries, ',') || '}' AS attributes,
  n.extra_json AS extra
FROM graph_node AS n
JOIN graph AS g ON g.id = n.graph_id
JOIN trace AS t ON t.id = n.trace_id
LEFT JOIN graph_node AS h ON h.id = n.of_node_id
LEFT JOIN dependency AS d ON d.id = n.id
LEFT JOIN attribute AS a ON a.id = n.id
ORDER BY t.run_id, t.rank, t.id, g.id, n.id
