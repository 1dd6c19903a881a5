-- All device times are whole microseconds. Two copies with a recorded bandwidth, 2 and 4 GB/s, one without:
-- 1000 bytes in 1 us are 1 GB/s. Of 600, 400 and 1000 bytes in 300, 100 and 1000 ns: 2000 / 1400.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, args_json)
VALUES
  (1, 1, 0, 0, 1000, 'gpu_memcpy', 'Memcpy HtoD', 0, '{"memory bandwidth (GB/s)": 2.0}'),
  (2, 1, 0, 2000, 0, 'gpu_memcpy', 'Memcpy HtoD', 0, '{"memory bandwidth (GB/s)": 4}'),
  (3, 1, 0, 4000, 1000, 'gpu_memcpy', 'Memcpy HtoD', 0, '{"bytes": 1000}'),
  (4, 1, 0, 6000, 1000, 'gpu_memset', 'Memset', 0, '{"memory bandwidth (GB/s)": 0.5}');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class,
  bytes, direction)
VALUES
  (1, 1, 0, 10, 7, 0, 1000, 'Memcpy HtoD', 'memcpy', 'memory', 600, 'HtoD'),
  (2, 1, 0, 10, 7, 2000, 0, 'Memcpy HtoD', 'memcpy', 'memory', 400, 'HtoD'),
  (3, 1, 0, 10, 7, 4000, 1000, 'Memcpy HtoD', 'memcpy', 'memory', 1000, 'HtoD'),
  (4, 1, 0, 10, 7, 6000, 1000, 'Memset', 'memset', 'memory', 300, NULL);
