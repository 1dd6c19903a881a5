-- parameters: trace_id=1
-- Calls 11 and 12 lie in no operator and name number 7: operator 1 in the process of call 11,
-- operator 2 in that of call 12, which began later. The process of call 13 has no such operator.
INSERT INTO track (id, trace_id, kind, process_id) VALUES
  (10, 1, 'thread', 100), (11, 1, 'thread', 100), (20, 1, 'thread', 200), (21, 1, 'thread', 200),
  (30, 1, 'thread', 300);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, external_id)
VALUES (1, 1, 10, 0, 100, 'a', 7), (2, 1, 20, 10, 100, 'b', 7);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (1, 1, 10, 0, 100, 'cpu_op', 'a', 0, NULL), (2, 1, 20, 10, 100, 'cpu_op', 'b', 0, NULL),
  (11, 1, 11, 20, 5, 'cuda_runtime', 'l', 0, NULL), (12, 1, 21, 30, 5, 'cuda_runtime', 'l', 0, NULL),
  (13, 1, 30, 40, 5, 'cuda_runtime', 'l', 0, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, correlation_id, external_id)
VALUES (11, 1, 11, 20, 5, 1, 7), (12, 1, 21, 30, 5, 2, 7), (13, 1, 30, 40, 5, 3, 7);
