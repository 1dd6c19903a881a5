-- parameters: trace_id=1
-- The device (2) is a process with streams and a thread that waits; the host (1) launches its work.
INSERT INTO track (id, trace_id, kind, process_id) VALUES
  (100, 1, 'thread', 1), (200, 1, 'thread', 2), (201, 1, 'stream', 2);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, category, correlation_id) VALUES
  (10, 1, 100, 0, 5, 'mtia_runtime', 5), (11, 1, 200, 10, 5, 'mtia_runtime', 1000);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class, correlation_id) VALUES
  (20, 1, 201, 30, 1, 'kernel', 'compute', 5);
