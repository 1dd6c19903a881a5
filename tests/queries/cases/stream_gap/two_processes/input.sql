-- parameters: short_ns=10
-- Stream 7 of device 0 in two processes. Each has one gap, in which the other works; without
-- calls their causes are unknown.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES (1, 1, 't', 'nsys', 'nsys', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 1, 10, 7, 0, 40, 'a', 'kernel', 'compute'),
  (2, 1, 1, 10, 7, 100000, 40, 'a', 'kernel', 'compute'),
  (3, 1, 2, 10, 7, 50, 1000, 'b', 'kernel', 'compute'),
  (4, 1, 2, 10, 7, 60000, 10, 'b', 'kernel', 'compute');
