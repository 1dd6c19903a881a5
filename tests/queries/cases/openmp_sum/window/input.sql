-- window: 2ns 12ns
-- Of two calls 2 ns each are in the window; one never ended.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'nsys', 'nsys', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth) VALUES
  (1, 1, 100, 0, 4, 'openmp', 'a', 0),
  (2, 1, 100, 10, 8, 'openmp', 'a', 0),
  (3, 1, 100, 1, -1, 'openmp', 'b', 0),
  (4, 1, 100, 0, 2, 'openmp', 'a', 0);
