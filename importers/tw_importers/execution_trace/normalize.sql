-- From the rows of one execution trace to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32).

INSERT INTO graph BY NAME
SELECT
  getvariable('first_id') AS id,
  getvariable('trace_id') AS trace_id,
  'execution_trace' AS kind,
  schema AS format_version,
  CASE WHEN start_ns IS NOT NULL THEN 0 END AS start_ts,
  pid,
  CASE WHEN is_flat THEN 'flat' ELSE 'nested' END AS node_layout,
  attributes AS attributes_json
FROM scratch.graph;

-- Nodes and their texts have the same order: nothing is looked up.
INSERT INTO graph_node BY NAME
SELECT
  getvariable('first_id')
    + CASE WHEN n.seq = x.seq THEN n.seq ELSE error('nodes and texts differ in order') END AS id,
  getvariable('trace_id') AS trace_id,
  getvariable('first_id') AS graph_id,
  n.node_id,
  n.parent_id AS parent_node_id,
  n.name,
  n.op_schema,
  n.record_function_id,
  n.sequence_number,
  n.thread_id,
  l.start_ns,
  l.dur_ns,
  l.exclusive_us,
  CASE WHEN l.category IS NULL THEN 'cpu' ELSE 'gpu' END AS device_kind,
  CASE WHEN n.has_inputs THEN x.inputs END AS inputs_json,
  CASE WHEN n.has_outputs THEN x.outputs END AS outputs_json,
  CASE WHEN n.has_attributes THEN x.attributes END AS attributes_json,
  CASE
    WHEN n.invalid_parts IS NULL THEN n.extra
    WHEN n.extra IS NULL THEN '{' || n.invalid_parts || '}'
    ELSE '{' || n.invalid_parts || ', ' || n.extra[2:]
  END AS extra_json
FROM scratch.node_text AS x
POSITIONAL JOIN scratch.node AS n
LEFT JOIN scratch.linked AS l ON l.seq = n.seq;

INSERT INTO graph_edge BY NAME
SELECT
  getvariable('first_id') + rowid AS id,
  getvariable('trace_id') AS trace_id,
  getvariable('first_id') AS graph_id,
  getvariable('first_id') + from_seq AS from_node_id,
  getvariable('first_id') + to_seq AS to_node_id,
  kind,
  ordinal
FROM scratch.edge
ORDER BY rowid;
