-- parameters: trace_id=1
-- Frames 1, 2, 3 lie in each other. Operator 11 lies in 3; 12 lies in 11, through a range; 13 in 1;
-- 14 in no frame.
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (1, 1, 10, 0, 100, 'python_function', 'main', 0, NULL),
  (2, 1, 10, 5, 80, 'python_function', 'nn.Module: Block_0', 1, 1),
  (3, 1, 10, 10, 60, 'python_function', 'forward', 2, 2),
  (4, 1, 10, 200, 50, 'python_function', 'other', 0, NULL),
  (11, 1, 10, 12, 40, 'cpu_op', 'direct', 3, 3), (12, 1, 10, 15, 10, 'cpu_op', 'in an operator', 5, 21),
  (13, 1, 10, 90, 5, 'cpu_op', 'in main', 1, 1), (14, 1, 10, 300, 5, 'cpu_op', 'alone', 0, NULL),
  (15, 1, 10, 210, 5, 'cpu_op', 'in another frame', 1, 4),
  (21, 1, 10, 14, 20, 'user_annotation', 'range', 4, 11);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
INSERT INTO python_call (slice_id, trace_id, track_id, ts, dur, name, python_module_id)
SELECT id, trace_id, track_id, ts, dur, name, CASE WHEN id = 2 THEN 0 END
FROM slice WHERE category = 'python_function';
