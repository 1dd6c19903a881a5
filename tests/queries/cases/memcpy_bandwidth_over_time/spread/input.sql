-- parameters: bucket_ns=10
-- 100 bytes from 5 to 15 lie half in each of two buckets; 7 bytes that take no time lie at 10.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class,
  bytes, direction)
VALUES
  (1, 1, 0, 10, 7, 5, 10, 'c', 'memcpy', 'memory', 100, 'DtoH'),
  (2, 1, 0, 10, 8, 10, 0, 'c', 'memcpy', 'memory', 7, 'DtoH'),
  (3, 1, 0, 10, 8, 35, -1, 's', 'memset', 'memory', 3, NULL),
  (4, 1, 0, 10, 8, 18, 2, 'c', 'memcpy', 'memory', NULL, 'DtoH'),
  (5, 1, 0, 10, 8, -15, 5, 'c', 'memcpy', 'memory', 20, 'HtoD');
