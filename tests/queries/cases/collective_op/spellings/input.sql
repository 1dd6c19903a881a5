-- Rank 0 of two: kinds in several spellings, sizes and bus factors as the NCCL tests have them, a
-- wait that is no communication, a send of rank 0 and its recv on rank 1, and an old recording whose
-- kernel is named after another kind than the operator that enqueued it.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 2000, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name,
  group_size, group_ranks_json, peer_rank, sequence_number, n_input_elements, n_output_elements,
  data_type, input_bytes, output_bytes)
VALUES
  (1, 1, 0, 0, 10, 'nccl', 'device', 'allreduce', '7', 4, '[0, 1, 2, 3]', NULL, 5, 8, 8, 'Float', 32, 32),
  (2, 1, 0, 10, -1, 'nccl', 'device', '_allgather_base', '7', 4, '[0, 1, 2, 3]', NULL, 6, 8, 32, 'Float', 32, 128),
  (3, 1, 0, 20, 5, 'record_param_comms', 'host', 'alltoallv', '7', 4, '[0, 1, 2, 3]', NULL, 7, 8, 9, 'Float', 32, 36),
  (4, 1, 0, 30, 5, 'record_param_comms', 'host', 'wait', '7', 4, '[0, 1, 2, 3]', NULL, 7, 0, 0, 'Byte', 0, 0),
  (5, 1, 0, 40, 5, 'nccl', 'device', 'send', '9', 2, '[0, 1]', 1, NULL, 2, 2, 'Half', 4, 4),
  (6, 2, 0, 40, 5, 'nccl', 'device', 'recv', '9', 2, '[0, 1]', 0, NULL, 2, 2, 'Half', 4, 4),
  (7, 1, 0, 50, 5, 'ncclKernel_SendRecv', 'device', 'sendrecv', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (8, 1, 0, 60, 5, 'gloo:all_reduce', 'host', 'all_reduce', NULL, NULL, NULL, NULL, NULL, 3, NULL, 'Float', 12, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (20, 1, 1, 30, 20, 'cpu_op', 'c10d::reduce_scatter_', 0, NULL),
  (21, 1, 1, 31, 15, 'cpu_op', 'record_param_comms', 1, 20);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (1, 1, 1, 22, 7, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 21, 22, 'op_launch', 'containment', 1, 'default', 'q', 1);
