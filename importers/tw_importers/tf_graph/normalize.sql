-- From prepared nodes to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32).

INSERT INTO graph (id, trace_id, kind)
SELECT getvariable('first_id'), getvariable('trace_id'), 'tensorflow';

INSERT INTO graph_node (
  id, trace_id, graph_id, node_id, name, type, device_kind, inputs_json, attributes_json
)
SELECT
  getvariable('first_id') + seq,
  getvariable('trace_id'),
  getvariable('first_id'),
  seq,
  name,
  op,
  lower(nullif(regexp_extract(device, '(?i)(CPU|GPU|TPU)', 1), '')),
  to_json(inputs)::VARCHAR,
  CASE WHEN device IS NULL THEN attributes
    ELSE '[' || json_object('name', 'device', 'type', 's', 'value', device)
      || if(attributes = '[]', ']', ',' || attributes[2:])
  END
FROM scratch.node
ORDER BY seq;

INSERT INTO graph_edge (
  id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal, attributes_json
)
SELECT
  getvariable('first_id') + rowid,
  getvariable('trace_id'),
  getvariable('first_id'),
  getvariable('first_id') + from_seq,
  getvariable('first_id') + to_seq,
  kind,
  ordinal,
  CASE WHEN output > 0 THEN json_object('output', output) END
FROM scratch.edge
ORDER BY rowid;
