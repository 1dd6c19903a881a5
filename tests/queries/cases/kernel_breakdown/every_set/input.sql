-- 0-10 compute, 10-12 all three, 12-15 compute and memory, 15-20 compute, 20-24 communication,
-- 24-30 communication and memory, 30-31 memory, 31-40 idle, 40-49 communication and compute.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 0, 20, 'a', 'kernel', 'compute'),
  (2, 1, 0, 10, 8, 10, 2, 'nccl', 'kernel', 'communication'),
  (3, 1, 0, 10, 9, 10, 5, 'copy', 'memcpy', 'memory'),
  (4, 1, 0, 10, 8, 20, 10, 'nccl', 'kernel', 'communication'),
  (5, 1, 0, 10, 9, 24, 7, 'set', 'memset', 'memory'),
  (6, 1, 0, 10, 8, 40, 9, 'nccl', 'kernel', 'communication'),
  (7, 1, 0, 10, 7, 40, 9, 'a', 'kernel', 'compute'),
  (8, 1, 0, 10, 7, 0, 90, 'wait', 'sync', 'sync');
