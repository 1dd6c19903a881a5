-- Step 5 launched operations 1 and 2 with one call and 3 with another, and call 104 launched one on a
-- device the source does not say; the call of 5 is not known; the work of step 6 has a call, but is
-- a wait. Operation 4 belongs to no step.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES (50, 1, 0, 0, 24, 's5', 5), (60, 1, 0, 24, 6, 's6', 6);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 0, 10, 'a', 'kernel', 'compute'),
  (2, 1, 0, 10, 8, 5, 10, 'nccl', 'kernel', 'communication'),
  (3, 1, 0, 10, 9, 8, 2, 'copy', 'memcpy', 'memory'),
  (4, 1, 0, 10, 7, 12, 3, 'copy', 'memcpy', 'memory'),
  (5, 1, 0, 10, 7, 18, 2, 'b', 'kernel', 'compute'),
  (6, 1, 0, 10, 7, 40, 5, 'wait', 'sync', 'sync'),
  (7, 1, 0, NULL, 7, 50, 5, 'c', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 50, 1, 'step', 'launch', 1, 'default', 'q', 1),
  (2, 1, 1, 50, 2, 'step', 'launch', 1, 'default', 'q', 1),
  (3, 1, 1, 50, 3, 'step', 'launch', 1, 'default', 'q', 1),
  (4, 1, 1, 50, 5, 'step', 'time', 0.5, 'default', 'q', 1),
  (5, 1, 1, 60, 6, 'step', 'launch', 1, 'default', 'q', 1),
  (6, 1, 1, 101, 1, 'launch', 'correlation', 1, 'default', 'q', 1),
  (7, 1, 1, 101, 2, 'launch', 'correlation', 1, 'default', 'q', 1),
  (8, 1, 1, 102, 3, 'launch', 'correlation', 1, 'default', 'q', 1),
  (9, 1, 1, 103, 4, 'launch', 'correlation', 1, 'default', 'q', 1),
  (10, 1, 1, 104, 6, 'launch', 'correlation', 1, 'default', 'q', 1),
  (11, 1, 1, 50, 7, 'step', 'launch', 1, 'default', 'q', 1),
  (12, 1, 1, 104, 7, 'launch', 'correlation', 1, 'default', 'q', 1);
