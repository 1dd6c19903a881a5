-- Trace 1: two ranges and two calls that launch a kernel, the second outside of operators, and a
-- kernel of its own with a link. Trace 2: one range and two such calls, so nothing is known.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (2, 1, 'u', 4, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 0, 0, 90, 'cpu_op', 'outer', 0, NULL), (2, 1, 0, 10, 60, 'cpu_op', 'inner', 1, 1),
  (3, 1, 0, 20, 5, 'cuda_runtime', 'cudaLaunchKernel', 2, 2),
  (4, 1, 0, 30, 5, 'cuda_runtime', 'cudaEventRecord', 2, 2),
  (5, 1, 0, 95, 5, 'cuda_runtime', 'cuLaunchKernelEx', 0, NULL),
  (6, 1, 9, 200, 5, 'cuda_profiler_range', 'k1', 0, NULL),
  (7, 1, 9, 300, 5, 'cuda_profiler_range', 'k2', 0, NULL),
  (8, 1, 7, 50, 5, 'kernel', 'k3', 0, NULL),
  (11, 2, 0, 0, 5, 'cuda_runtime', 'cudaLaunchKernel', 0, NULL),
  (12, 2, 0, 9, 5, 'cuda_runtime', 'cudaLaunchKernel', 0, NULL),
  (13, 2, 9, 20, 5, 'cuda_profiler_range', 'k1', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (1, 1, 0, 0, 90, 'outer'), (2, 1, 0, 10, 60, 'inner');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cuda_runtime';
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class)
VALUES (8, 1, 7, 50, 5, 'k3', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (1, 1, 1, 3, 8, 'launch', 'correlation', 1, 'default', 'link_launch', 1);
INSERT INTO metric (id, trace_id, slice_id, name, value, match_status) VALUES
  (1, 1, 6, 'inst', 10, 'source'), (2, 1, 6, 'read', 7, 'source'), (3, 1, 7, 'inst', 1, 'source'),
  (4, 1, 8, 'inst', 30, 'source'), (5, 2, 13, 'inst', 5, 'source'), (6, 1, NULL, 'inst', 99, 'none');
