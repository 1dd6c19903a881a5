-- A call of f names an operator of another thread, by an External id that is left over: the operator
-- has ended.
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (15, 1, 101, 1, 3, 'cpu_op', 'early', 0, NULL),
  (16, 1, 100, 86, 2, 'cuda_runtime', 'cudaLaunchKernel', 2, 2),
  (26, 1, 109, 97, 2, 'kernel', 'gemm', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE id = 15;
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category)
SELECT id, trace_id, track_id, ts, dur, name, category FROM slice WHERE id = 16;
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class)
SELECT id, trace_id, track_id, 10, ts, dur, name, 'kernel', 'compute' FROM slice WHERE id = 26;
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (9, 1, 1, 16, 26, 'launch', 'correlation', 1, 'default', 'q', 1),
  (10, 1, 1, 15, 16, 'op_launch', 'external_id', 0.5, 'default', 'q', 1);
