-- A region in a region, called from train.py through torch, with a graph whose code launches a generated
-- kernel and a product; a second call of the region from another line. Outside of regions, a kernel with the
-- name of the first and another hash, one without a launch, and a product, which is no compiled work. A copy
-- in the region is; the wait is no work.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO process (id, trace_id, pid) VALUES (30, 1, 42);
INSERT INTO track (id, trace_id, kind, process_id, device_id) VALUES
  (100, 1, 'thread', 30, NULL), (109, 1, 'stream', NULL, 10);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id, args_json) VALUES
  (1, 1, 100, 0, 490, 'python_function', 'train.py(7): step', 0, NULL, NULL),
  (2, 1, 100, 5, 200, 'python_function', '/lib/torch/_dynamo/eval_frame.py(1): compile_wrapper', 1, 1, NULL),
  (3, 1, 100, 10, 190, 'cpu_op', 'Torch-Compiled Region: 0/0', 2, 2, NULL),
  (4, 1, 100, 20, 80, 'cpu_op', 'Torch-Compiled Region: 1/0', 3, 3, NULL),
  (5, 1, 100, 30, 60, 'user_annotation', '## Call CompiledFxGraph fabc ##', 4, 4, NULL),
  (6, 1, 100, 35, 50, 'python_function', '/tmp/ob/c222222222222222222222222222222222222222222222222222.py(132): call', 5, 5, NULL),
  (7, 1, 100, 40, 20, 'cpu_op', 'triton_poi_fused_add_0', 6, 6,
    '{"kernel_backend": "triton", "kernel_hash": "caaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "kernel_file": "/tmp/aa/caaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.py", '
    '"kernel_kwargs": "XBLOCK=16", "num_warps": 1, "num_stages": 2}'),
  (8, 1, 100, 65, 10, 'cpu_op', 'aten::mm', 6, 6, '{"External id": 8}'),
  (9, 1, 100, 120, 10, 'cpu_op', 'aten::copy_', 3, 3, NULL),
  (10, 1, 100, 300, 20, 'cpu_op', 'triton_poi_fused_add_0', 1, 1,
    '{"kernel_backend": "triton", "kernel_hash": "cbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "kernel_file": "/tmp/bb/cbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.py", "num_warps": 4}'),
  (11, 1, 100, 400, 20, 'cpu_op', 'aten::mm', 1, 1, NULL),
  (12, 1, 100, 500, 200, 'python_function', 'train.py(9): other', 0, NULL, NULL),
  (13, 1, 100, 510, 90, 'cpu_op', 'Torch-Compiled Region: 0/0', 1, 12, NULL),
  (14, 1, 100, 520, 10, 'cpu_op', 'aten::copy_', 2, 13, NULL),
  (21, 1, 100, 45, 5, 'cuda_driver', 'cuLaunchKernel', 7, 7, NULL),
  (22, 1, 100, 68, 5, 'cuda_runtime', 'cudaLaunchKernel', 7, 8, NULL),
  (23, 1, 100, 122, 5, 'cuda_runtime', 'cudaMemcpyAsync', 4, 9, NULL),
  (24, 1, 100, 305, 5, 'cuda_driver', 'cuLaunchKernel', 2, 10, NULL),
  (25, 1, 100, 405, 5, 'cuda_runtime', 'cudaLaunchKernel', 2, 11, NULL),
  (26, 1, 100, 522, 5, 'cuda_runtime', 'cudaMemcpyAsync', 3, 14, NULL),
  (31, 1, 109, 60, 7, 'kernel', 'triton_poi_fused_add_0', 0, NULL, NULL),
  (32, 1, 109, 80, 30, 'kernel', 'gemm', 0, NULL, NULL),
  (33, 1, 109, 130, 4, 'gpu_memcpy', 'Memcpy', 0, NULL, NULL),
  (34, 1, 109, 320, 9, 'kernel', 'triton_poi_fused_add_0', 0, NULL, NULL),
  (35, 1, 109, 420, 40, 'kernel', 'gemm', 0, NULL, NULL),
  (36, 1, 109, 530, 6, 'gpu_memcpy', 'Memcpy', 0, NULL, NULL),
  (37, 1, 109, 600, 4, 'kernel', 'triton_red_fused_sum_1', 0, NULL, NULL),
  (38, 1, 109, 610, 50, 'cuda_sync', 'wait', 0, NULL, NULL);
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side)
SELECT id, trace_id, track_id, ts, dur, name, 'host' FROM slice WHERE category = 'user_annotation';
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
INSERT INTO python_call (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'python_function';
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category)
SELECT id, trace_id, track_id, ts, dur, name, category FROM slice WHERE id BETWEEN 21 AND 26;
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class)
SELECT id, trace_id, track_id, 10, ts, dur, name,
  CASE category WHEN 'cuda_sync' THEN 'sync' WHEN 'gpu_memcpy' THEN 'memcpy' ELSE 'kernel' END,
  CASE category WHEN 'cuda_sync' THEN 'sync' WHEN 'gpu_memcpy' THEN 'memory' ELSE 'compute' END
FROM slice WHERE track_id = 109;
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT id, 1, 1, id, id + 10, 'launch', 'correlation', 1, 'default', 'q', 1 FROM slice WHERE id BETWEEN 21 AND 26
UNION ALL
SELECT 100 + id, 1, 1, parent_id, id, 'op_launch', 'containment', 1, 'default', 'q', 1 FROM slice WHERE id BETWEEN 21 AND 26;
