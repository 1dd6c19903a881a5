-- Two names of one category, a copy, a name without a category, and a device whose kernel never ended.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0), (11, 1, 'gpu', 1);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 0, 10, 'volta_sgemm_32x32_nn', 'kernel', 'compute'),
  (2, 1, 0, 10, 7, 20, 20, 'volta_sgemm_32x32_nn', 'kernel', 'compute'),
  (3, 1, 0, 10, 7, 50, 30, 'ampere_sgemm_64x32_nn', 'kernel', 'compute'),
  (4, 1, 0, 10, 7, 90, 15, 'step(int)', 'kernel', 'compute'),
  (5, 1, 0, 10, 7, 110, 5, NULL, 'kernel', 'compute'),
  (6, 1, 0, 10, 7, 120, 500, 'copy', 'memcpy', 'memory'),
  (7, 1, 0, 11, 7, 0, -1, 'softmax_warp_forward<float>(float)', 'kernel', 'compute');
