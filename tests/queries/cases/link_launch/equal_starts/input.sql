-- parameters: trace_id=1
-- Of three calls with one id, two begin at one time: work after them belongs to the last.
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, category, correlation_id) VALUES
  (10, 1, 100, 0, 5, 'cuda_runtime', 5), (11, 1, 100, 10, 5, 'cuda_runtime', 5),
  (12, 1, 100, 10, 2, 'cuda_runtime', 5);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class, correlation_id) VALUES
  (20, 1, 201, 6, 1, 'kernel', 'compute', 5), (21, 1, 201, 30, 1, 'kernel', 'compute', 5);
