-- parameters: top=1
-- b is the first of three names; a and c are one row, of five kernels with 2, 4, 4, 4 and 6 ns.
-- The only communication kernel never ended: it counts 0 ns, of which no share can be said.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 0, 2, 'a', 'kernel', 'compute'),
  (2, 1, 0, 10, 7, 10, 4, 'a', 'kernel', 'compute'),
  (3, 1, 0, 10, 7, 20, 4, 'a', 'kernel', 'compute'),
  (4, 1, 0, 10, 7, 30, 4, 'c', 'kernel', 'compute'),
  (5, 1, 0, 10, 7, 40, 6, 'c', 'kernel', 'compute'),
  (6, 1, 0, 10, 7, 50, 60, 'b', 'kernel', 'compute'),
  (7, 1, 0, 10, 7, 200, -1, 'nccl', 'kernel', 'communication'),
  (8, 1, 0, 10, 7, 150, 500, 'copy', 'memcpy', 'memory');
