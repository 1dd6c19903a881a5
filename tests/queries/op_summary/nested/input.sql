-- outer (100) contains inner (60), which contains a call (20): a child of any category counts.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 0, 0, 100, 'cpu_op', 'outer', 0, NULL),
  (2, 1, 0, 10, 60, 'cpu_op', 'inner', 1, 1),
  (3, 1, 0, 20, 20, 'cuda_runtime', 'cudaLaunchKernel', 2, 2);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
VALUES (1, 1, 0, 0, 100, 'outer'), (2, 1, 0, 10, 60, 'inner');
