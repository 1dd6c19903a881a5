-- parameters: trace_id=1
-- Operator 1 holds call 11 directly, and call 12 through a Python frame and another call.
-- Call 13 lies in a frame that lies in no operator; call 14 lies in nothing.
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
VALUES (1, 1, 10, 0, 100, 'outer'), (2, 1, 10, 50, 40, 'inner');
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (1, 1, 10, 0, 100, 'cpu_op', 'outer', 0, NULL),
  (2, 1, 10, 50, 40, 'cpu_op', 'inner', 1, 1),
  (11, 1, 10, 5, 10, 'cuda_runtime', 'direct', 1, 1),
  (12, 1, 10, 62, 2, 'cuda_driver', 'deep', 4, 15),
  (13, 1, 10, 205, 2, 'cuda_runtime', 'no operator', 1, 32),
  (14, 1, 10, 300, 2, 'cuda_runtime', 'alone', 0, NULL),
  (15, 1, 10, 61, 8, 'cuda_runtime', 'wrapper', 3, 31),
  (31, 1, 10, 60, 20, 'python_function', 'frame', 2, 2),
  (32, 1, 10, 200, 20, 'python_function', 'frame', 0, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur)
VALUES (11, 1, 10, 5, 10), (12, 1, 10, 62, 2), (13, 1, 10, 205, 2), (14, 1, 10, 300, 2),
  (15, 1, 10, 61, 8);
