-- A step holds f, which calls itself through an operator; a copy launched by f itself; a built-in
-- that launches a kernel which never ended; on another thread a call made for the inner operator.
-- One kernel has no launch. A wait is no work.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO process (id, trace_id, pid) VALUES (30, 1, 42);
INSERT INTO track (id, trace_id, kind, process_id, device_id) VALUES
  (100, 1, 'thread', 30, NULL), (101, 1, 'thread', 30, NULL), (109, 1, 'stream', NULL, 10);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 100, 0, 100, 'user_annotation', 'ProfilerStep#3', 0, NULL),
  (2, 1, 100, 5, 90, 'python_function', 'a.py(1): f', 1, 1),
  (3, 1, 100, 10, 50, 'cpu_op', 'outer', 2, 2),
  (4, 1, 100, 15, 35, 'python_function', 'a.py(1): f', 3, 3),
  (5, 1, 100, 20, 20, 'cpu_op', 'inner', 4, 4),
  (6, 1, 100, 25, 5, 'cuda_runtime', 'cudaLaunchKernel', 5, 5),
  (7, 1, 100, 65, 5, 'cuda_runtime', 'cudaMemcpyAsync', 2, 2),
  (9, 1, 101, 30, 2, 'cuda_runtime', 'cudaLaunchKernel', 0, NULL),
  (12, 1, 100, 72, 8, 'python_function', '<built-in method g of list object at 0x7fA1>', 2, 2),
  (11, 1, 100, 73, 2, 'cuda_runtime', 'cudaLaunchKernel', 3, 12),
  (13, 1, 100, 82, 3, 'cpu_op', 'idle', 2, 2),
  (20, 1, 109, 60, 7, 'kernel', 'gemm', 0, NULL),
  (21, 1, 109, 70, 3, 'gpu_memcpy', 'Memcpy', 0, NULL),
  (22, 1, 109, 80, 4, 'kernel', 'gemm', 0, NULL),
  (23, 1, 109, 90, -1, 'kernel', 'relu', 0, NULL),
  (24, 1, 109, 95, 6, 'kernel', 'gemm', 0, NULL),
  (25, 1, 109, 96, 50, 'cuda_sync', 'wait', 0, NULL);
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side)
SELECT id, trace_id, track_id, ts, dur, name, 'host' FROM slice WHERE id = 1;
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
SELECT id, trace_id, track_id, ts, dur, name, 3 FROM slice WHERE id = 1;
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
INSERT INTO python_call (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'python_function';
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category)
SELECT id, trace_id, track_id, ts, dur, name, category FROM slice WHERE category = 'cuda_runtime';
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class)
SELECT id, trace_id, track_id, 10, ts, dur, name,
  CASE category WHEN 'cuda_sync' THEN 'sync' WHEN 'gpu_memcpy' THEN 'memcpy' ELSE 'kernel' END,
  CASE category WHEN 'cuda_sync' THEN 'sync' WHEN 'gpu_memcpy' THEN 'memory' ELSE 'compute' END
FROM slice WHERE track_id = 109;
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 6, 20, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 7, 21, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 9, 22, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 11, 23, 'launch', 'correlation', 1, 'default', 'q', 1),
  (5, 1, 1, 7, 25, 'sync_call', 'correlation', 1, 'default', 'q', 1),
  (6, 1, 1, 5, 6, 'op_launch', 'containment', 1, 'default', 'q', 1),
  (7, 1, 1, 5, 9, 'op_launch', 'external_id', 1, 'default', 'q', 1),
  (8, 1, 1, 13, 24, 'launch', 'guess', 1, 'another set', 'q', 1);
