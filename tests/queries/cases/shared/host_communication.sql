-- Two buckets of 30 and 12 elements are reduced by two threads of gloo: calls at 10 and 20, reduced from
-- 12 to 60 and from 22 to 50. The caller pauses from 25 to 61, copies the first bucket (61 and 70), and
-- the second (80), which was reduced long before. A broadcast (call 90, 92 to 100) is waited for by the
-- operator at 105, after a pause.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind, process_id) VALUES (1, 1, 'thread', 8), (2, 1, 'thread', 8), (3, 1, 'thread', 8);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, input_dims_json) VALUES
  (10, 1, 1, 10, 5, 'c10d::allreduce_', '[[[30]],[],[]]'),
  (11, 1, 1, 20, 5, 'c10d::allreduce_', '[[[4],[2,4]],[],[]]'),
  (12, 1, 1, 61, 5, 'torch.distributed.ddp.reducer::copy_bucket_to_grad', '[[10,2]]'),
  (13, 1, 1, 70, 5, 'torch.distributed.ddp.reducer::copy_bucket_to_grad', '[[10]]'),
  (14, 1, 1, 80, 5, 'torch.distributed.ddp.reducer::copy_bucket_to_grad', '[[12]]'),
  (15, 1, 1, 90, 4, 'c10d::broadcast_', '[[[7]],[],[]]'),
  (16, 1, 1, 105, 5, 'aten::add', '[[7]]');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, n_input_elements) VALUES
  (20, 1, 2, 12, 48, 'gloo:all_reduce', 'host', 'all_reduce', 30),
  (21, 1, 3, 22, 28, 'gloo:all_reduce', 'host', 'all_reduce', 12),
  (22, 1, 3, 92, 8, 'gloo:broadcast', 'host', 'broadcast', 7);
