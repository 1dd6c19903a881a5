-- parameters: trace_id=1
-- Correlation 5: one call, two kernels (a graph). 7: three calls; the last before the work counts,
-- and for work 26, before all of them, the first. 8: a wait. 9: work without a call. Trace 2 has the
-- same ids and must not mix in.
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, correlation_id)
VALUES (1, 1, 10, 0, 5, 5), (2, 1, 10, 10, 5, 7), (3, 1, 10, 20, 5, 7), (4, 1, 10, 90, 5, 7),
  (5, 1, 10, 30, 5, 8), (6, 2, 10, 1, 5, 9), (7, 2, 10, 1, 5, 5);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class, correlation_id)
VALUES (21, 1, 11, 6, 2, 'kernel', 'compute', 5), (22, 1, 11, 9, 2, 'kernel', 'compute', 5),
  (23, 1, 11, 25, 2, 'memcpy', 'memory', 7), (24, 1, 11, 40, 2, 'sync', 'sync', 8),
  (25, 1, 11, 50, 2, 'kernel', 'compute', 9), (26, 1, 11, 9, 2, 'kernel', 'compute', 7),
  (27, 1, 11, 9, 2, 'kernel', 'compute', NULL);
