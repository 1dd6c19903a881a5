-- to (100) contains copy (60), which contains to (20) and launches a kernel of 7 itself; the inner
-- to launches a kernel of 5 and one that never ended. Another to (30) contains more than it lasts.
-- A wait is no work. A frame lies between the first to and copy.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 0, 0, 100, 'cpu_op', 'to', 0, NULL),
  (2, 1, 0, 10, 60, 'cpu_op', 'copy', 2, 7),
  (3, 1, 0, 20, 20, 'cpu_op', 'to', 3, 2),
  (4, 1, 0, 200, 30, 'cpu_op', 'to', 0, NULL),
  (5, 1, 0, 210, 40, 'cpu_op', 'late', 1, 4),
  (6, 1, 0, 300, -1, 'cpu_op', 'late', 0, NULL),
  (7, 1, 0, 5, 70, 'python_function', 'f', 1, 1),
  (8, 1, 0, 45, 4, 'cuda_runtime', 'cudaLaunchKernel', 3, 2),
  (9, 1, 0, 25, 4, 'cuda_runtime', 'cudaGraphLaunch', 4, 3),
  (20, 1, 9, 60, 7, 'kernel', 'k', 0, NULL),
  (21, 1, 9, 70, 5, 'kernel', 'k', 0, NULL),
  (22, 1, 9, 80, -1, 'kernel', 'k', 0, NULL),
  (23, 1, 9, 90, 50, 'cuda_sync', 'w', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class)
SELECT id, trace_id, track_id, ts, dur, name, CASE WHEN id = 23 THEN 'sync' ELSE 'kernel' END,
  CASE WHEN id = 23 THEN 'sync' ELSE 'compute' END
FROM slice WHERE id >= 20;
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 8, 20, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 9, 21, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 9, 22, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 9, 23, 'sync_call', 'correlation', 1, 'default', 'q', 1),
  (5, 1, 1, 2, 8, 'op_launch', 'containment', 1, 'default', 'q', 1),
  (6, 1, 1, 3, 9, 'op_launch', 'containment', 1, 'default', 'q', 1),
  (7, 1, 1, 3, 9, 'op_launch', 'other', 1, 'another set', 'q', 1);
