-- parameters: bucket_ns=20
-- Two communication kernels begin at one time: compute after the shorter one hides the longer one.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 6, 0, 5, 'nccl', 'kernel', 'communication'),
  (2, 1, 0, 10, 7, 0, 20, 'nccl', 'kernel', 'communication'),
  (3, 1, 0, 10, 8, 8, 6, 'a', 'kernel', 'compute');
