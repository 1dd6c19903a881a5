-- parameters: bucket_ns=10
-- Communication lasts from 5 to 25 and from 30 to 34; compute from 8 to 14 and from 20 to 30. A copy
-- does not hide communication. Device 1 does not communicate.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0), (11, 1, 'gpu', 1);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 5, 20, 'nccl', 'kernel', 'communication'),
  (2, 1, 0, 10, 8, 8, 6, 'a', 'kernel', 'compute'),
  (3, 1, 0, 10, 9, 14, 4, 'copy', 'memcpy', 'memory'),
  (4, 1, 0, 10, 8, 20, 10, 'b', 'kernel', 'compute'),
  (5, 1, 0, 10, 7, 30, 4, 'nccl', 'kernel', 'communication'),
  (6, 1, 0, 11, 8, 0, 10, 'a', 'kernel', 'compute');
