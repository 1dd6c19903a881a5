/* ---
name = "chakra_nodes"
version = 1
title = "Every node with all it says: what a printer of Chakra files shows, one row a node"
help = """
With --format jsonl one JSON object a line; with --format csv or xlsx a table. The columns are those of Chakra's protobuf messages;
attributes are {name: value}, inputs and outputs JSON. A host execution trace has no node types and no data dependencies; nodes of a
linked graph have the inputs, outputs and attributes of the operator they stand for.
"""
grain = ["graph_node_id"]
requires = { schema = ">=11" }
portable = false

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "graph_id"
type = "BIGINT"
unit = "ref graph.id"
help = "The graph"

[[column]]
name = "graph_kind"
type = "VARCHAR"
unit = "text"
help = "execution_trace: recorded on the host; linked: that with device work; chakra: an imported .et"

[[column]]
name = "link_set"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Of a linked graph, by whose rules: default, chakra-1.0, ...; NULL: not linked"

[[column]]
name = "graph_node_id"
type = "BIGINT"
unit = "ref graph_node.id"
help = "The node"

[[column]]
name = "id"
type = "UBIGINT"
unit = "source id"
nullable = true
help = "Its number in the graph"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "type"
type = "VARCHAR"
unit = "text"
nullable = true
help = "COMP_NODE, COMM_COLL_NODE, ...; NULL: the graph does not say"

[[column]]
name = "ctrl_deps"
type = "UBIGINT[]"
unit = "source id"
help = "Numbers of the nodes it is called by"

[[column]]
name = "data_deps"
type = "UBIGINT[]"
unit = "source id"
help = "Numbers of the nodes it waits for, of any other kind of edge"

[[column]]
name = "start_time_micros"
type = "DOUBLE"
unit = "us"
nullable = true
help = "Start, as the graph states it"

[[column]]
name = "duration_micros"
type = "DOUBLE"
unit = "us"
nullable = true
help = "Duration, as the graph states it"

[[column]]
name = "is_cpu_op"
type = "BOOLEAN"
unit = "bool"
help = "Whether it runs on the host"

[[column]]
name = "inputs"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Values, shapes and types of what it takes"

[[column]]
name = "outputs"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Values, shapes and types of what it gives"

[[column]]
name = "attributes"
type = "VARCHAR"
unit = "json"
nullable = true
help = "All attributes by name; of several of one name the last"

[[column]]
name = "extra"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Keys of the node the source has besides"

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
    ) AS said
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
  '{' || array_to_string(a.said, ',') || '}' AS attributes,
  n.extra_json AS extra
FROM graph_node AS n
JOIN graph AS g ON g.id = n.graph_id
JOIN trace AS t ON t.id = n.trace_id
LEFT JOIN graph_node AS h ON h.id = n.of_node_id
LEFT JOIN dependency AS d ON d.id = n.id
LEFT JOIN attribute AS a ON a.id = n.id
ORDER BY t.run_id, t.rank, t.id, g.id, n.id
