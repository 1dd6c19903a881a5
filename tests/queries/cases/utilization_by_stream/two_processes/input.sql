-- Stream 7 of device 0 in two processes (tracks 1 and 2), and in a second context of the first
-- (track 3): three streams.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'nsys', 'nsys', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 1, 10, 7, 0, 10, 'a', 'kernel', 'compute'),
  (2, 1, 2, 10, 7, 5, 15, 'b', 'kernel', 'compute'),
  (3, 1, 3, 10, 7, 10, 30, 'c', 'kernel', 'compute');
