-- parameters: trace_id=1
-- Threads 10 and 11 number their operators alike. The profiler's thread 1 is 10, which alone has
-- numbers 1 and 2; thread 2 is 11, which alone has 9.
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, sequence_number, forward_thread_id)
VALUES (1, 1, 10, 0, 1, 'f', 1, 0), (2, 1, 10, 2, 1, 'f', 2, 0), (3, 1, 10, 4, 1, 'f', 3, 0),
  (4, 1, 11, 5, 1, 'f', 3, 0), (5, 1, 11, 7, 1, 'f', 9, 0),
  (11, 1, 20, 100, 1, 'b', 1, 1), (12, 1, 20, 110, 1, 'b', 2, 1), (13, 1, 20, 120, 1, 'b', 3, 1),
  (14, 1, 21, 130, 1, 'b', 3, 2), (15, 1, 21, 140, 1, 'b', 9, 2);
