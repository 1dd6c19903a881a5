-- Half of the communication of a group is behind compute; another's two kernels overlap, 5 ns behind compute.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO process_group (id, trace_id, name, description, n_ranks, ranks_json)
VALUES (1, 1, '1', 'mesh_dp', 2, '[0,2]'), (2, 1, '3', 'mesh_tp', 2, '[0,1]'),
  (3, 1, '5', 'mesh_dim_0', 4, '[0,1,2,3]');
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 0, 10, 'a', 'kernel', 'compute'),
  (2, 1, 0, 10, 7, 55, 15, 'b', 'kernel', 'compute'),
  (3, 1, 0, 10, 8, 0, 20, 'nccl', 'kernel', 'communication'),
  (4, 1, 0, 10, 9, 30, 20, 'nccl', 'kernel', 'communication'),
  (5, 1, 0, 10, 10, 40, 20, 'nccl', 'kernel', 'communication');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name,
  group_size, group_ranks_json, n_input_elements, input_bytes, output_bytes)
VALUES
  (3, 1, 0, 0, 20, 'nccl', 'device', 'allreduce', '3', 2, '[0, 1]', 8, 32, 32),
  (4, 1, 0, 30, 20, 'nccl', 'device', 'allreduce', '1', 2, '[0, 2]', 4, 16, 16),
  (5, 1, 0, 40, 20, 'nccl', 'device', 'allreduce', '1', 2, '[0, 2]', 4, 16, 16);
