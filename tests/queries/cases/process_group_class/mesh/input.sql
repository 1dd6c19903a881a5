-- Names and use agree: 1 - 0.1 * 0.2 for gradients, 1 - 0.1 * 0.4 for other sums; a group without either.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO process_group (id, trace_id, name, description, n_ranks, ranks_json)
VALUES (1, 1, '1', 'mesh_dp', 2, '[0,2]'), (2, 1, '3', 'mesh_tp', 2, '[0,1]'),
  (3, 1, '5', 'mesh_dim_0', 4, '[0,1,2,3]');
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (10, 1, 1, 0, 5, 'cpu_op', 'record_param_comms', 0, NULL),
  (20, 1, 1, 10, 20, 'cpu_op', 'autograd::engine::evaluate_function: AddmmBackward0', 0, NULL),
  (21, 1, 1, 11, 5, 'cpu_op', 'record_param_comms', 1, 20),
  (30, 1, 1, 40, 20, 'cpu_op', 'autograd::engine::evaluate_function: torch::autograd::AccumulateGrad', 0, NULL),
  (31, 1, 1, 41, 15, 'cpu_op', 'c10d::allreduce_', 1, 30),
  (32, 1, 1, 42, 5, 'cpu_op', 'record_param_comms', 2, 31);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name,
  group_size, group_ranks_json, n_input_elements)
VALUES
  (10, 1, 1, 0, 5, 'record_param_comms', 'host', 'allreduce', '3', 2, '[0, 1]', 8),
  (21, 1, 1, 11, 5, 'record_param_comms', 'host', 'allreduce', '3', 2, '[0, 1]', 8),
  (32, 1, 1, 42, 5, 'record_param_comms', 'host', 'allreduce', '1', 2, '[0, 2]', 8);
