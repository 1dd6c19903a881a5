-- parameters: trace_id=1
-- Two operators of one name begin at one time: kernel 30 belongs to the last, which is in the other.
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (10, 1, 100, 0, 9, 'a'), (11, 1, 100, 0, 5, 'a');
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class, correlation_id) VALUES
  (30, 1, 101, 8, 1, 'a', 'kernel', 'compute', NULL);
