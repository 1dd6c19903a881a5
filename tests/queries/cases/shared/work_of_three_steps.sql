-- Step 5 launched compute 0-10 and communication 5-15 with two calls; the work of step 6, which never
-- ended on the host, runs from 12 to 20, at the same time; step 7 launched nothing.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES (50, 1, 0, -20, 24, 's5', 5), (60, 1, 0, 4, -1, 's6', 6), (70, 1, 0, 30, 6, 's7', 7);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 0, 10, 'a', 'kernel', 'compute'),
  (2, 1, 0, 10, 8, 5, 10, 'nccl', 'kernel', 'communication'),
  (3, 1, 0, 10, 9, 8, 2, 'copy', 'memcpy', 'memory'),
  (4, 1, 0, 10, 7, 12, 3, 'copy', 'memcpy', 'memory'),
  (5, 1, 0, 10, 7, 18, 2, 'b', 'kernel', 'compute'),
  (6, 1, 0, 10, 7, 40, 5, 'outside', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 50, 1, 'step', 'launch', 1, 'default', 'q', 1),
  (2, 1, 1, 50, 2, 'step', 'launch', 1, 'default', 'q', 1),
  (3, 1, 1, 50, 3, 'step', 'launch', 1, 'default', 'q', 1),
  (4, 1, 1, 60, 4, 'step', 'launch', 1, 'default', 'q', 1),
  (5, 1, 1, 60, 5, 'step', 'launch', 1, 'default', 'q', 1),
  (6, 1, 1, 101, 1, 'launch', 'correlation', 1, 'default', 'q', 1),
  (7, 1, 1, 101, 2, 'launch', 'correlation', 1, 'default', 'q', 1),
  (8, 1, 1, 102, 3, 'launch', 'correlation', 1, 'default', 'q', 1),
  (9, 1, 1, 103, 4, 'launch', 'correlation', 1, 'default', 'q', 1);
