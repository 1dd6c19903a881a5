-- Net_0 calls Linear_0, Linear_1 and, by itself, an operator. On another thread the backward operator
-- of Linear_0's (6 of its own) holds that of Linear_1's (4), and calls Linear_1 again (2), as
-- checkpoints do.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 100, 0, 100, 'python_function', 'nn.Module: Net_0', 0, NULL),
  (2, 1, 100, 5, 90, 'python_function', 'x.py(1): f', 1, 1),
  (3, 1, 100, 10, 30, 'python_function', 'nn.Module: Linear_0', 2, 2),
  (5, 1, 100, 15, 15, 'cpu_op', 'aten::addmm', 3, 3),
  (6, 1, 100, 20, 2, 'cuda_runtime', 'cudaLaunchKernel', 4, 5),
  (4, 1, 100, 50, 30, 'python_function', 'nn.Module: Linear_1', 2, 2),
  (7, 1, 100, 55, 15, 'cpu_op', 'aten::addmm', 3, 4),
  (8, 1, 100, 60, 2, 'cuda_runtime', 'cudaLaunchKernel', 4, 7),
  (9, 1, 100, 82, 8, 'cpu_op', 'aten::relu', 2, 2),
  (10, 1, 100, 84, 2, 'cuda_runtime', 'cudaLaunchKernel', 3, 9),
  (11, 1, 101, 100, 50, 'cpu_op', 'AddmmBackward0', 0, NULL),
  (14, 1, 101, 105, 2, 'cuda_runtime', 'cudaLaunchKernel', 1, 11),
  (12, 1, 101, 120, 10, 'cpu_op', 'AddmmBackward0', 1, 11),
  (13, 1, 101, 122, 2, 'cuda_runtime', 'cudaLaunchKernel', 2, 12),
  (15, 1, 101, 135, 10, 'python_function', 'nn.Module: Linear_1', 1, 11),
  (16, 1, 101, 137, 2, 'cuda_runtime', 'cudaLaunchKernel', 2, 15);
INSERT INTO python_call (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'python_function';
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (20, 1, 107, 30, 7, 'k', 'kernel', 'compute'), (21, 1, 107, 70, 5, 'k', 'kernel', 'compute'),
  (22, 1, 107, 90, 3, 'k', 'kernel', 'compute'), (23, 1, 107, 130, 4, 'k', 'kernel', 'compute'),
  (24, 1, 107, 140, 6, 'k', 'kernel', 'compute'), (25, 1, 107, 150, 2, 'k', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 6, 20, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 8, 21, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 10, 22, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 13, 23, 'launch', 'correlation', 1, 'default', 'q', 1),
  (5, 1, 1, 14, 24, 'launch', 'correlation', 1, 'default', 'q', 1),
  (6, 1, 1, 16, 25, 'launch', 'correlation', 1, 'default', 'q', 1),
  (7, 1, 1, 3, 5, 'module', 'containment', 1, 'default', 'q', 1),
  (8, 1, 1, 4, 7, 'module', 'containment', 1, 'default', 'q', 1),
  (9, 1, 1, 1, 9, 'module', 'containment', 1, 'default', 'q', 1),
  (10, 1, 1, 5, 11, 'forward_backward', 'recorded:fwdbwd', 1, 'default', 'q', 1),
  (11, 1, 1, 7, 12, 'forward_backward', 'recorded:fwdbwd', 1, 'default', 'q', 1);
