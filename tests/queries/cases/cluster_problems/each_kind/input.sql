-- A cluster whose archive is missing; one with arguments of each problem and one without any.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 'disc', 'disc', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO disc_cluster (id, trace_id, function, pair_method, status)
VALUES (10, 1, 'a', 'content', 'replayable'), (11, 1, 'b', 'none', 'tar_missing');
INSERT INTO disc_cluster_argument (disc_cluster_id, trace_id, ordinal, kind, data_type,
  min_value, max_value, n_nan, n_zero)
VALUES
  (10, 1, 0, 'constant', 'float16', 1, 2, 0, 0), (10, 1, 1, 'fixed_shape', 'int8', 1, 2, 0, 0),
  (10, 1, 2, 'parameter', 'float32', 0, 0, 0, 8), (10, 1, 3, 'parameter', 'float32', 1, 2, 3, 0),
  (10, 1, 4, 'resource', 'resource', NULL, NULL, NULL, NULL),
  (10, 1, 5, 'parameter', 'float32', 0, 1, 0, 4), (10, 1, 6, 'constant', 'int64', 0, 0, 0, 1);
