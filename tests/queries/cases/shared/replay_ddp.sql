-- DistributedDataParallel with gloo on one rank: gradients of 8 and 4 floats are copied into one bucket
-- (10-12 and 20-22), which is reduced from 25 to 65 after the call at 23-25. The thread waits until 70
-- and copies them back (70-72 and 74-75); its step lasts from 0 to 100.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind, name, process_id) VALUES (1, 1, 'thread', 'main', 8), (2, 1, 'thread', 'gloo', 8);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 1, 0, 100, 'user_annotation', 'ProfilerStep#3', 0, NULL),
  (2, 1, 1, 10, 2, 'cpu_op', 'torch::distributed::reducer::mul_out', 1, 1),
  (3, 1, 1, 20, 2, 'cpu_op', 'torch::distributed::reducer::mul_out', 1, 1),
  (4, 1, 1, 23, 2, 'cpu_op', 'c10d::allreduce_', 1, 1),
  (5, 1, 1, 70, 2, 'cpu_op', 'torch.distributed.ddp.reducer::copy_bucket_to_grad', 1, 1),
  (6, 1, 1, 74, 1, 'cpu_op', 'torch.distributed.ddp.reducer::copy_bucket_to_grad', 1, 1),
  (10, 1, 2, 25, 40, 'user_annotation', 'gloo:all_reduce', 0, NULL);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES (1, 1, 1, 0, 100, 'ProfilerStep#3', 3);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, input_dims_json, input_type_json)
SELECT id, trace_id, track_id, ts, dur, name,
  CASE id WHEN 2 THEN '[[2,4]]' WHEN 3 THEN '[[4]]' WHEN 5 THEN '[[2,4]]' WHEN 6 THEN '[[4]]' ELSE '[[[12]],[]]' END,
  '["float"]'
FROM slice WHERE category = 'cpu_op';
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, n_input_elements, input_bytes)
VALUES (10, 1, 2, 25, 40, 'gloo:all_reduce', 'host', 'all_reduce', 12, 48);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (1, 1, 1, 4, 10, 'enqueue', 'order', 0.9, 'default', 'q', 1),
  (2, 1, 1, 10, 5, 'wait', 'communication', 0.9, 'default', 'q', 1);
