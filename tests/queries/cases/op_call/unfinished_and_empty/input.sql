-- Operator 1 never ends; 2, of its name, is in it and launches a kernel of 5 ns: only 1 counts it in the
-- totals. Operator 4 has no length and begins where 3, of its name, ends: it is not in it.
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, category, depth, parent_id) VALUES
  (1, 1, 5, 0, -1, 'a', 'cpu_op', 0, NULL), (2, 1, 5, 10, 10, 'a', 'cpu_op', 1, 1),
  (3, 1, 6, 0, 10, 'b', 'cpu_op', 0, NULL), (4, 1, 6, 10, 0, 'b', 'cpu_op', 0, NULL),
  (6, 1, 6, 2, 5, 'b', 'cpu_op', 1, 3),
  (8, 1, 5, 12, 2, 'launch', 'cuda_runtime', 2, 2), (9, 1, 7, 30, 5, 'k', 'kernel', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES (8, 1, 5, 12, 2, 'launch');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES (9, 1, 7, 10, 7, 30, 5, 'k', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 8, 9, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 2, 8, 'op_launch', 'containment', 1, 'default', 'q', 1);
