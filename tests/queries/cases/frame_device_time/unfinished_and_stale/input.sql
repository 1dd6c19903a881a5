-- Function 1 never ends; 2, the same function, is in it. The call 8 in it names operator 3 of another
-- thread, in function 4, which had ended: the kernel of 5 ns is the work of 2, and counts once for 1.
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, category, depth, parent_id) VALUES
  (1, 1, 5, 0, -1, 'f', 'python_function', 0, NULL), (2, 1, 5, 10, 10, 'f', 'python_function', 1, 1),
  (4, 1, 6, 0, 9, 'g', 'python_function', 0, NULL), (3, 1, 6, 1, 5, 'a', 'cpu_op', 1, 4),
  (8, 1, 5, 12, 2, 'launch', 'cuda_runtime', 2, 2), (9, 1, 7, 30, 5, 'k', 'kernel', 0, NULL);
INSERT INTO python_call (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'python_function';
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES (3, 1, 6, 1, 5, 'a');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES (8, 1, 5, 12, 2, 'launch');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES (9, 1, 7, 10, 7, 30, 5, 'k', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 8, 9, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 3, 8, 'op_launch', 'external_id', 0.5, 'default', 'q', 1);
