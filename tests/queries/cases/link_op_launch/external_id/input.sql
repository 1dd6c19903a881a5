-- parameters: trace_id=1
-- Call 11 names operators 1, 2 and 3 of another thread: 3 begins later, 2 runs meanwhile and began
-- last. Call 12 names 4, which has ended. 13 has its correlation id for an External id: it names
-- nothing. 14 names an operator that begins later. 15 lies in operator 5 and names 1.
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, external_id)
VALUES (1, 1, 10, 0, 100, 'a', 7), (2, 1, 10, 10, 50, 'b', 7), (3, 1, 10, 60, 50, 'c', 7),
  (4, 1, 10, 0, 5, 'd', 8), (5, 1, 20, 200, 50, 'e', 9), (6, 2, 30, 0, 900, 'other trace', 7);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (1, 1, 10, 0, 100, 'cpu_op', 'a', 0, NULL), (2, 1, 10, 10, 50, 'cpu_op', 'b', 1, 1),
  (3, 1, 10, 60, 50, 'cpu_op', 'c', 1, NULL), (4, 1, 10, 0, 5, 'cpu_op', 'd', 1, 1),
  (5, 1, 20, 200, 50, 'cpu_op', 'e', 0, NULL),
  (11, 1, 20, 20, 5, 'cuda_runtime', 'l', 0, NULL), (12, 1, 20, 30, 5, 'cuda_runtime', 'l', 1, 31),
  (13, 1, 20, 40, 5, 'cuda_runtime', 'l', 0, NULL), (14, 1, 20, 50, 5, 'cuda_runtime', 'l', 0, NULL),
  (15, 1, 20, 210, 5, 'cuda_runtime', 'l', 1, 5),
  (31, 1, 20, 29, 9, 'python_function', 'f', 0, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, correlation_id, external_id)
VALUES (11, 1, 20, 20, 5, 1, 7), (12, 1, 20, 30, 5, 2, 8), (13, 1, 20, 40, 5, 7, 7),
  (14, 1, 20, 50, 5, 4, 9), (15, 1, 20, 210, 5, 5, 7);
