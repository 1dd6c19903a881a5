-- parameters: bucket_ns=10
-- Times of rank 0 are those of the run from 1000; rank 1 began 34 ns later, 3 buckets when rounded, and its
-- clock gains one ns each ten, 1 for its second bucket: 35, 4 buckets. The offset of rank 2 is unknown.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES
  (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 900, 900, 21),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 984, 984, 22),
  (3, 1, 'c', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 5000, 5000, 23);
INSERT INTO clock (id, trace_id, name, offset_ns, drift)
VALUES (21, 1, 'host', 100, NULL), (22, 2, 'host', 50, 0.1), (23, 3, 'host', NULL, NULL);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0), (11, 2, 'gpu', 0), (12, 3, 'gpu', 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 30, 10, 'a', 'kernel', 'compute'),
  (2, 2, 0, 11, 7, 0, 5, 'b', 'kernel', 'compute'),
  (3, 2, 0, 11, 7, 18, 2, 'c', 'kernel', 'compute'),
  (4, 3, 0, 12, 7, 10, 4, 'd', 'kernel', 'compute');
