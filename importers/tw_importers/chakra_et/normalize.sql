-- From prepared nodes to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32), metadata_json.

INSERT INTO graph (id, trace_id, kind, format_version, attributes_json)
SELECT
  getvariable('first_id'),
  getvariable('trace_id'),
  'chakra',
  (SELECT format_version FROM trace WHERE id = getvariable('trace_id')),
  getvariable('metadata_json');

INSERT INTO graph_node (
  id, trace_id, graph_id, node_id, parent_node_id, name, type, op_schema, record_function_id,
  sequence_number, thread_id, start_ns, dur_ns, device_kind, inputs_json, outputs_json,
  attributes_json, extra_json
)
SELECT
  getvariable('first_id') + seq,
  getvariable('trace_id'),
  getvariable('first_id'),
  id,
  parent_node_id,
  name,
  type,
  op_schema,
  rf_id,
  seq_id,
  tid,
  start_ns,
  dur_ns,
  CASE WHEN is_cpu_op THEN 'cpu' WHEN NOT is_cpu_op THEN 'gpu' END,
  inputs,
  outputs,
  attributes,
  extra
FROM scratch.node
ORDER BY seq;

INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal)
SELECT
  getvariable('first_id') + rowid,
  getvariable('trace_id'),
  getvariable('first_id'),
  getvariable('first_id') + from_seq,
  getvariable('first_id') + to_seq,
  kind,
  ordinal
FROM scratch.edge
ORDER BY rowid;
