-- Two small copies of 1 and 3 GB/s; one without time, one without a size and one unfinished have none.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class,
  bytes, direction)
VALUES
  (1, 1, 0, 10, 7, 0, 100, 'Memcpy HtoD (Pinned -> Device)', 'memcpy', 'memory', 100, 'HtoD'),
  (2, 1, 0, 10, 7, 200, 300, 'Memcpy HtoD (Pinned -> Device)', 'memcpy', 'memory', 900, 'HtoD'),
  (3, 1, 0, 10, 7, 600, 0, 'Memcpy HtoD (Pinned -> Device)', 'memcpy', 'memory', 4095, 'HtoD'),
  (4, 1, 0, 10, 7, 700, 10, 'Memcpy HtoD (Pinned -> Device)', 'memcpy', 'memory', 4096, 'HtoD'),
  (5, 1, 0, 10, 7, 800, 10, 'Memcpy HtoD (Pinned -> Device)', 'memcpy', 'memory', NULL, 'HtoD'),
  (6, 1, 0, 10, 7, 900, -1, 'Memset (Device)', 'memset', 'memory', 1048576, NULL),
  (7, 1, 0, 10, 7, 950, 10, 'k', 'kernel', 'compute', NULL, NULL);
