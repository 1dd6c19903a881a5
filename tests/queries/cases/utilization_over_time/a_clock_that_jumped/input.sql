-- parameters: bucket_ns=10 max_buckets=4
-- The span of device 0 is 5 to 105: ten buckets of 10 ns; the least multiple that leaves fewer than
-- four is 30. Device 1 is at work for one bucket, which stays as narrow as asked for.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0), (11, 1, 'gpu', 1);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 5, 10, 'a', 'kernel', 'compute'),
  (2, 1, 0, 10, 7, 28, 4, 'b', 'kernel', 'compute'),
  (3, 1, 0, 10, 7, 104, 1, 'late', 'kernel', 'compute'),
  (4, 1, 0, 11, 7, 24, 4, 'b', 'kernel', 'compute');
