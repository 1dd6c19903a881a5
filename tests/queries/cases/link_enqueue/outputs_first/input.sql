-- parameters: trace_id=1
-- As recorded of FSDP on gloo: calls have the output before the input, operations the input only, and
-- gloo reduces and scatters by all_reduce. Process 9 has an operation reduce_scatter (MPI).
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind, process_id) VALUES
  (1, 1, 'thread', 8), (2, 1, 'thread', 8), (3, 1, 'thread', 8), (4, 1, 'thread', 9), (5, 1, 'thread', 9);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, input_dims_json) VALUES
  (10, 1, 1, 10, 5, 'c10d::_allgather_base_', '[[16], [4], [], [], []]'),
  (11, 1, 1, 20, 5, 'c10d::_reduce_scatter_base_', '[[2], [8], [], [], [], []]'),
  (12, 1, 1, 30, 5, 'c10d::allreduce_', '[[[7, 3]], [], [], [], [], []]'),
  (13, 1, 1, 40, 5, 'c10d::reduce_scatter_tensor_coalesced_', '[[[2], [1]], [[8], [4]], [], [], []]'),
  (14, 1, 1, 50, 5, 'c10d::allgather_', '[[], [[10]], [], [], []]'),
  (15, 1, 1, 60, 5, 'c10d::alltoall_base_', '[[4], [10], [], [], [], [], []]'),
  (16, 1, 1, 70, 5, 'c10d::scatter_', '[[[3]], [], [], [], []]'),
  (17, 1, 1, 80, 5, 'c10d::recv_any_source_', '[[[20]], [], []]'),
  (18, 1, 4, 20, 5, 'c10d::reduce_scatter_', '[[[2]], [], []]'),
  (19, 1, 4, 30, 5, 'c10d::allreduce_', '[[[2]], [], []]');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, n_input_elements) VALUES
  (20, 1, 2, 12, 5, 'gloo:all_gather', 'host', 'all_gather', 4),
  (21, 1, 3, 22, 30, 'gloo:all_reduce', 'host', 'all_reduce', 8),
  (22, 1, 2, 32, 5, 'gloo:all_reduce', 'host', 'all_reduce', 21),
  (23, 1, 2, 42, 5, 'gloo:all_reduce', 'host', 'all_reduce', 12),
  (24, 1, 3, 52, 5, 'gloo:all_gather', 'host', 'all_gather', 10),
  (25, 1, 2, 62, 5, 'gloo:all_to_all', 'host', 'all_to_all', 10),
  (26, 1, 2, 72, 5, 'gloo:scatter', 'host', 'scatter', NULL),
  (27, 1, 1, 82, 2, 'gloo:recvAnySource', 'host', 'recvAnySource', 20),
  (28, 1, 5, 22, 5, 'mpi:reduce_scatter', 'host', 'reduce_scatter', 2),
  (29, 1, 5, 32, 5, 'mpi:all_reduce', 'host', 'all_reduce', 2);
