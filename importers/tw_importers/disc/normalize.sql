-- From prepared tables to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32). The scratch tables are read.py's and prepare.sql's.

INSERT INTO graph (id, trace_id, kind, name)
SELECT
  getvariable('first_id') + cluster_n, getvariable('trace_id'), 'cluster',
  coalesce(function, program)
FROM scratch.cluster
WHERE graph_hash IS NOT NULL
ORDER BY cluster_n;

INSERT INTO graph_node (
  id, trace_id, graph_id, node_id, name, type, device_kind, inputs_json, attributes_json
)
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY cluster_n, node_n) - 1,
  getvariable('trace_id'),
  getvariable('first_id') + cluster_n,
  node_n,
  name,
  op,
  lower(nullif(regexp_extract(device, '(CPU|GPU)', 1), '')),
  to_json(inputs)::VARCHAR,
  json_object('function', function, 'device', device)::VARCHAR
FROM scratch.node
ORDER BY cluster_n, node_n;

INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal)
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY t.id, e.ordinal) - 1,
  getvariable('trace_id'),
  t.graph_id,
  f.id,
  t.id,
  e.kind,
  e.ordinal
FROM scratch.edge AS e
JOIN graph_node AS f
  ON f.graph_id = getvariable('first_id') + e.cluster_n AND f.node_id = e.from_n
JOIN graph_node AS t
  ON t.graph_id = getvariable('first_id') + e.cluster_n AND t.node_id = e.to_n
WHERE f.trace_id = getvariable('trace_id') AND t.trace_id = getvariable('trace_id')
ORDER BY t.id, e.ordinal;

INSERT INTO tensor (
  id, trace_id, graph_id, tensor_id, n_elements, element_bytes, data_type, shape_json, device, name
)
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY a.cluster_n, a.ordinal) - 1,
  getvariable('trace_id'),
  getvariable('first_id') + a.cluster_n,
  a.ordinal,
  coalesce(try_cast(list_product(a.shape) AS BIGINT), 1),
  CASE WHEN list_product(a.shape) > 0
    THEN a.n_bytes // try_cast(list_product(a.shape) AS BIGINT) END,
  a.data_type,
  to_json(a.shape)::VARCHAR,
  a.placement,
  a.member
FROM scratch.argument AS a
ORDER BY a.cluster_n, a.ordinal;

INSERT INTO disc_cluster (
  id, trace_id, graph_id, function, device_type, graph_hash, signature_hash, func_hash,
  graph_def_version, n_nodes, program, program_sha256, data, data_sha256, host, pid, thread_id,
  dumped_at_ns, compile_ns, pair_method, status, environment_json
)
SELECT
  getvariable('first_id') + cluster_n,
  getvariable('trace_id'),
  CASE WHEN graph_hash IS NOT NULL THEN getvariable('first_id') + cluster_n END,
  function,
  device_type,
  graph_hash,
  signature_hash,
  func_hash,
  graph_def_version,
  n_nodes,
  program,
  program_sha256,
  data,
  data_sha256,
  host,
  pid,
  thread,
  dumped_us * 1000,
  (compiled_us - dumped_us) * 1000,
  pair_method,
  status,
  environment
FROM scratch.cluster
ORDER BY cluster_n;

INSERT INTO disc_cluster_argument (
  disc_cluster_id, trace_id, ordinal, kind, placement, data_type, shape_json, bytes, member,
  sha256, min_value, max_value, n_nan, n_zero
)
SELECT
  getvariable('first_id') + cluster_n,
  getvariable('trace_id'),
  ordinal,
  kind,
  placement,
  data_type,
  to_json(shape)::VARCHAR,
  n_bytes,
  member,
  sha256,
  low,
  high,
  n_nan,
  n_zero
FROM scratch.argument
ORDER BY cluster_n, ordinal;

INSERT INTO disc_call_time (
  id, trace_id, disc_cluster_id, match, function_id, function, signature, call_index, called_at_ns,
  call_ns, lookup_at_ns, lookup_ns, run_at_ns, run_ns, tensorflow_at_ns, tensorflow_ns,
  fallback_at_ns, note
)
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY called_at, call_n) - 1,
  getvariable('trace_id'),
  getvariable('first_id') + cluster_n,
  match,
  func_id,
  function,
  signature,
  call_index,
  called_at,
  call_ns,
  lookup_at,
  lookup_ns,
  run_at,
  run_ns,
  tensorflow_at,
  tensorflow_ns,
  fallback_at,
  note
FROM scratch.call_time
ORDER BY called_at, call_n;

INSERT INTO disc_cluster_total (
  id, trace_id, disc_cluster_id, match, function_id, function, signature, n_calls,
  first_compiled_call, n_runs, run_ns, n_tensorflow_runs, tensorflow_ns, call_ns, lookup_ns,
  compile_status, compile_queue_ns, compile_ns, shape_file, shape_text
)
SELECT
  getvariable('first_id') + total_n,
  getvariable('trace_id'),
  getvariable('first_id') + cluster_n,
  match,
  func_id,
  function,
  signature,
  n_calls,
  first_compiled_call,
  n_runs,
  run_ns,
  n_tensorflow_runs,
  tensorflow_ns,
  launch_ns,
  lookup_ns,
  compile_status,
  compile_queue_ns,
  compile_ns,
  shape_file,
  shape_text
FROM scratch.counted
ORDER BY total_n;

INSERT INTO disc_process (
  id, trace_id, file, began_at_ns, ended_at_ns, gpu_model, n_gpus, version, n_unsampled_calls,
  other_json, environment_json
)
SELECT
  getvariable('first_id') + rowid,
  getvariable('trace_id'),
  file,
  began_us * 1000,
  ended_us * 1000,
  gpu_model,
  n_gpus,
  version,
  n_unsampled_calls,
  other_json,
  environment
FROM scratch.process;

INSERT INTO disc_session (
  id, trace_id, session, began_at_ns, ended_at_ns, elapsed_ns, saved_ns, speedup
)
SELECT
  getvariable('first_id') + rowid,
  getvariable('trace_id'),
  session,
  began_us * 1000,
  ended_us * 1000,
  elapsed_us * 1000,
  saved_us * 1000,
  speedup
FROM scratch.session
ORDER BY rowid;

INSERT INTO disc_operation (id, trace_id, op, n_nodes, n_unclustered)
SELECT
  getvariable('first_id') + rowid, getvariable('trace_id'), op, n_nodes, n_unclustered
FROM scratch.operation
ORDER BY rowid;

INSERT INTO disc_torch_file (id, trace_id, dump, kind, file, member, n_bytes)
SELECT
  getvariable('first_id') + rowid, getvariable('trace_id'), dump, kind, file, member, n_bytes
FROM scratch.torch_file
ORDER BY rowid;

-- Dumps that were not below the folder of the log; the files of the capture follow, from 0.
INSERT INTO source_file (id, trace_id, path, role, n_bytes, n_content_bytes, sha256)
SELECT
  getvariable('first_id') + (1 << 24) + row_number() OVER (ORDER BY path) - 1,
  getvariable('trace_id'),
  path,
  'option dump_dir',
  n_bytes,
  n_bytes,
  sha256
FROM scratch.dump_file
ORDER BY path;
