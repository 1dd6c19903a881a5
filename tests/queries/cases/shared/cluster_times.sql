INSERT INTO run (id, name, kind, created_at) VALUES (1, 'job', 'test', TIMESTAMP '2026-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'job', 'disc', 'disc', 1, '0', TIMESTAMP '2026-01-01', 0, 0);

INSERT INTO disc_cluster (id, trace_id, function, graph_hash, func_hash, pair_method, status) VALUES
  (10, 1, 'cluster_0', 'aa', '255', 'content', 'replayable'),
  (11, 1, 'cluster_1', 'bb', '4096', 'content', 'replayable');

INSERT INTO disc_cluster_argument (disc_cluster_id, trace_id, ordinal, kind, placement, data_type, shape_json, bytes) VALUES
  (10, 1, 0, 'parameter', 'gpu', 'float32', '[4,8]', 128),
  (10, 1, 1, 'parameter', 'gpu', 'float32', '[]', 4),
  (11, 1, 0, 'parameter', 'gpu', 'float32', '[16]', 64);

INSERT INTO disc_cluster_total (
  id, trace_id, disc_cluster_id, match, function_id, function, signature, n_calls,
  first_compiled_call, n_runs, run_ns, n_tensorflow_runs, tensorflow_ns, call_ns, lookup_ns,
  compile_status, compile_queue_ns, compile_ns
) VALUES
  (20, 1, 10, 'signature', '0_cluster_0_aa', 'cluster_0', '00000000000000ff', 4, 1, 3, 300, 1, 500, 900, 60, 'pass_on_compile', 7, 70000),
  (21, 1, NULL, 'none', '0_cluster_9_aa', 'cluster_9', '0000000000000009', 2, -1, 0, 0, 2, 600, 700, 20, 'fail_on_compile', 8, 80000);

INSERT INTO disc_call_time (
  id, trace_id, disc_cluster_id, match, function_id, function, signature, call_index, called_at_ns,
  call_ns, lookup_at_ns, lookup_ns, run_at_ns, run_ns, tensorflow_at_ns, tensorflow_ns, fallback_at_ns
) VALUES
  (30, 1, 10, 'signature', '0_cluster_0_aa', 'cluster_0', '00000000000000ff', 0, 1000, 520, 1001, 10, NULL, NULL, 1020, 500, 1015),
  (31, 1, 10, 'signature', '0_cluster_0_aa', 'cluster_0', '00000000000000ff', 1, 2000, 130, 2001, 10, 2020, 100, NULL, NULL, NULL),
  (32, 1, 11, 'signature', '0_cluster_1_aa', 'cluster_1', '0000000000001000', 0, 3000, 240, 3001, 40, NULL, NULL, 3050, 180, 3045),
  (33, 1, 11, 'signature', '0_cluster_1_aa', 'cluster_1', '0000000000001000', 1, 4000, 160, 4001, 10, 4020, 120, NULL, NULL, NULL),
  (34, 1, NULL, 'none', '0_cluster_8_aa', 'cluster_8', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO disc_operation (id, trace_id, op, n_nodes, n_unclustered) VALUES
  (40, 1, 'MatMul', 8, NULL),
  (41, 1, 'Print', 2, 2),
  (42, 1, 'Where', 10, 4),
  (43, 1, 'Assert', NULL, 4);

INSERT INTO disc_torch_file (id, trace_id, dump, kind, file, member, n_bytes) VALUES
  (50, 1, 'replay_cluster_disc_grp0', 'cluster', 'graph.pt', NULL, 900),
  (51, 1, 'replay_cluster_disc_grp0', 'cluster', 'graph.pt', 'graph/data.pkl', 200),
  (52, 1, 'replay_cluster_disc_grp0', 'cluster', '0.pt', NULL, 4320),
  (53, 1, 'replay_cluster_disc_grp0', 'cluster', '1.pt', NULL, 680),
  (54, 1, 'replay_lazy_ts_7', 'graph', NULL, NULL, NULL);
