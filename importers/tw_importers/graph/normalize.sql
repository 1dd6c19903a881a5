-- From prepared tensors and process groups to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32); the graph is the first of its trace.

INSERT INTO tensor BY NAME
SELECT
  getvariable('first_id') + n AS id,
  getvariable('trace_id') AS trace_id,
  getvariable('first_id') AS graph_id,
  tensor_id,
  storage_id,
  storage_offset,
  n_elements,
  element_bytes,
  data_type,
  shape AS shape_json,
  stride AS stride_json,
  device
FROM scratch.tensor
ORDER BY n;

INSERT INTO tensor_use BY NAME
SELECT
  getvariable('first_id') + row_number() OVER (
    ORDER BY u.seq, u.is_output, u.argument, u.ordinal
  ) - 1 AS id,
  getvariable('trace_id') AS trace_id,
  getvariable('first_id') AS graph_id,
  getvariable('first_id') + u.seq AS graph_node_id,
  getvariable('first_id') + t.n AS tensor_id,
  u.is_output,
  u.argument,
  u.ordinal
FROM scratch.use AS u
JOIN scratch.tensor AS t ON t.text = u.text
  AND t.type IS NOT DISTINCT FROM u.type
  AND t.shape IS NOT DISTINCT FROM u.shape
  AND t.stride IS NOT DISTINCT FROM u.stride
ORDER BY u.seq, u.is_output, u.argument, u.ordinal;

INSERT INTO process_group BY NAME
SELECT
  getvariable('first_id') + n AS id,
  getvariable('trace_id') AS trace_id,
  getvariable('first_id') AS graph_id,
  name,
  description,
  backend,
  n_ranks,
  ranks AS ranks_json,
  n_groups,
  text AS attributes_json
FROM scratch.process_group
ORDER BY n;
