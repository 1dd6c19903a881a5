-- Two kernels of one operation, one of no module, a host operation; the call that launches counts not.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'xplane', 'xplane', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 0, 100, 'k', 'kernel', 'compute'),
  (2, 1, 0, 10, 7, 200, 300, 'k', 'kernel', 'compute'),
  (3, 1, 0, 10, 7, 600, 100, 'copy', 'memcpy', 'memory');
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES (4, 1, 1, 0, 50, 'tanh');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES (5, 1, 1, 0, 9, 'cuLaunch');
INSERT INTO xla_op (slice_id, trace_id, hlo_module, program_id, hlo_op, category, framework_op,
  flops, bytes_accessed)
VALUES
  (1, 1, 'jit_f', 7, 'dot.1', 'convolution', 'jit(f)/dot', 4000, 800),
  (2, 1, 'jit_f', 7, 'dot.1', 'convolution', 'jit(f)/dot', 4000, 800),
  (3, 1, NULL, NULL, NULL, NULL, 'copy', NULL, NULL),
  (4, 1, 'jit_g', 8, 'tanh', NULL, NULL, NULL, NULL),
  (5, 1, 'jit_f', 7, 'dot.1', NULL, NULL, NULL, NULL);
