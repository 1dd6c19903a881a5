-- parameters: trace_id=1
-- Two processes count their own correlation ids; streams 101 and 201 are theirs, 301 is nobody's. 22 of
-- the second has an id that only the first used: its own call was not recorded. 23 is nobody's, and the
-- last of both that called before is its cause.
INSERT INTO track (id, trace_id, kind, process_id) VALUES
  (100, 1, 'thread', 1), (101, 1, 'stream', 1), (200, 1, 'thread', 2), (201, 1, 'stream', 2),
  (301, 1, 'stream', 3);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, category, correlation_id) VALUES
  (10, 1, 100, 0, 5, 'cuda_runtime', 5), (11, 1, 200, 10, 5, 'cuda_runtime', 5),
  (12, 1, 100, 20, 5, 'cuda_runtime', 6);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class, correlation_id) VALUES
  (20, 1, 101, 30, 1, 'kernel', 'compute', 5), (21, 1, 201, 5, 1, 'kernel', 'compute', 5),
  (22, 1, 201, 40, 1, 'kernel', 'compute', 6), (23, 1, 301, 50, 1, 'sync', 'sync', 5);
