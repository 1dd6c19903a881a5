-- parameters: warmup=2
-- Two dumps of one graph, one without values; three calls of the first in two shapes, one ambiguous.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 'disc', 'disc', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO disc_cluster (id, trace_id, graph_id, function, device_type, graph_hash, n_nodes,
  program, data, dumped_at_ns, compile_ns, pair_method, status)
VALUES
  (10, 1, 100, 'cluster_0', 'MLIR_GPU', 'aa', 3, 'a.input', 'a.tar', 5000, 700, 'content',
   'replayable'),
  (11, 1, 101, 'cluster_1', 'MLIR_GPU', 'aa', 3, 'b.input', NULL, 6000, NULL, 'none',
   'tar_missing');
INSERT INTO disc_cluster_argument (disc_cluster_id, trace_id, ordinal, kind, placement, data_type,
  shape_json, bytes, member, min_value, max_value, n_nan, n_zero)
VALUES
  (10, 1, 0, 'constant', 'const', 'int32', '[2]', 8, 'm0', 0, 1, 0, 1),
  (10, 1, 1, 'parameter', 'gpu', 'float32', '[10]', 40, 'm1', -2, 2.5, 1, 0),
  (11, 1, 0, 'parameter', 'gpu', 'float32', '[4]', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO disc_cluster_call (id, trace_id, disc_cluster_id, shapes_json, types_json, match)
VALUES
  (1, 1, 10, '[[2],[10]]', '[]', 'unique'), (2, 1, 10, '[[2],[10]]', '[]', 'unique'),
  (3, 1, 10, '[[2],[20]]', '[]', 'unique'), (4, 1, NULL, '[[1]]', '[]', 'ambiguous');
