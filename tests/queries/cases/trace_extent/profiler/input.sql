-- What PyTorch's profiler records of itself does not count: in trace 1 its slice from 0 to 3000 and its instants
-- at 0 and 4000. The program is from 100 to 950; the slice at 900 did not end. Trace 2 has nothing else. In trace
-- 3, of another tool, slices of category Trace and without one are like any.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0),
  (2, 1, 'u', 1, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0),
  (3, 1, 'v', NULL, 'chrome', 'chrome', 1, '0', '2026-01-01', 0, 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth) VALUES
  (1, 1, 1, 0, 3000, 'Trace', 'PyTorch Profiler (0)', 0),
  (2, 1, 1, 0, 0, NULL, 'Iteration Start: PyTorch Profiler', 0),
  (3, 1, 1, 4000, 0, NULL, 'Record Window End', 0),
  (4, 1, 2, 100, 850, 'cpu_op', 'aten::mm', 0),
  (5, 1, 2, 900, -1, 'cpu_op', 'aten::add', 0),
  (6, 2, 3, 0, 3000, 'Trace', 'PyTorch Profiler (0)', 0),
  (7, 3, 4, 50, 20, 'Trace', 's', 0),
  (8, 3, 4, 60, 40, NULL, 's', 0);
