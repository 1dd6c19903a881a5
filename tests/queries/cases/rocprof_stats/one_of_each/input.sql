-- Two calls of one function, one unfinished; an operator of the host is of no domain.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'rocpd', 'rocpd', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 3);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth)
VALUES
  (1, 1, 0, 0, 30, 'hip_runtime', 'hipFree', 0),
  (2, 1, 0, 40, 10, 'hip_runtime', 'hipLaunchKernel', 0),
  (3, 1, 0, 60, 30, 'hip_runtime', 'hipLaunchKernel', 0),
  (4, 1, 0, 99, -1, 'kernel', 'k', 0),
  (5, 1, 0, 99, 5, 'cpu_op', 'aten::add', 0);
