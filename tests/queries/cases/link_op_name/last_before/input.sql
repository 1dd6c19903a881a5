-- parameters: trace_id=1
-- Operator a ran twice: kernel 30 belongs to the first, 31 to the second. Kernel 32 is launched by a
-- call inside of operator b, 33 has a correlation id, 34 begins before any operator of its name.
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (10, 1, 100, 0, 5, 'a'), (11, 1, 100, 20, 5, 'a'), (12, 1, 100, 6, 2, 'b');
INSERT INTO link (
  id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version
) VALUES
  (1, 1, 1, 20, 32, 'launch', 'order', 0.8, 'default', 'q', 1),
  (2, 1, 1, 12, 20, 'op_launch', 'containment', 1, 'default', 'q', 1);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class, correlation_id) VALUES
  (30, 1, 101, 8, 1, 'a', 'kernel', 'compute', NULL),
  (31, 1, 101, 20, 1, 'a', 'kernel', 'compute', NULL),
  (32, 1, 101, 22, 1, 'b', 'kernel', 'compute', NULL),
  (33, 1, 101, 24, 1, 'b', 'kernel', 'compute', 4),
  (34, 1, 101, 3, 1, 'b', 'memcpy', 'memory', NULL);
