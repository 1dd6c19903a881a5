-- Products on an H100 in three steps: a forward pass, two that repeat it in both ways of checkpointing,
-- and their gradients; one by tensor cores in float32 beside a kernel outside of operators; one that
-- covers half of the time. A second trace has no steps, and a device without a name.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
SELECT id, 1, 't' || id, id, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0
FROM (VALUES (1), (2)) AS v(id);
INSERT INTO device (id, trace_id, kind, ordinal, name, memory_bytes)
VALUES (10, 1, 'gpu', 0, 'NVIDIA H100 80GB HBM3', 85018279936), (20, 2, 'gpu', 0, '', NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, parent_id, depth) VALUES
  (1, 1, 1, 0, 10000, 'user_annotation', 'ProfilerStep#1', NULL, 0),
  (2, 1, 1, 20000, 5000, 'user_annotation', 'ProfilerStep#2', NULL, 0),
  (3, 1, 1, 30000, 5000, 'user_annotation', 'ProfilerStep#3', NULL, 0),
  (101, 1, 1, 100, 50, 'cpu_op', 'aten::mm', 1, 0),
  (102, 1, 1, 1000, 2000, 'cpu_op', 'autograd::engine::evaluate_function: MmBackward0', 1, 0),
  (103, 1, 1, 1100, 500, 'python_function', 'torch/utils/checkpoint.py(1111): unpack_hook', 102, 0),
  (104, 1, 1, 1200, 50, 'cpu_op', 'aten::mm', 103, 0),
  (105, 1, 1, 2000, 50, 'cpu_op', 'aten::mm', 102, 0),
  (106, 1, 1, 4000, 3000, 'cpu_op', 'CheckpointFunctionBackward', 1, 0),
  (107, 1, 1, 4100, 50, 'cpu_op', 'aten::mm', 106, 0),
  (108, 1, 1, 5000, 1000, 'cpu_op', 'autograd::engine::evaluate_function: MmBackward0', 106, 0),
  (109, 1, 1, 5100, 50, 'cpu_op', 'aten::mm', 108, 0),
  (110, 1, 1, 20100, 50, 'cpu_op', 'aten::mm', 2, 0),
  (111, 1, 1, 30100, 50, 'cpu_op', 'aten::mm', 3, 0),
  (112, 2, 2, 100, 50, 'cpu_op', 'aten::mm', NULL, 0),
  (113, 2, 2, 300, 70, 'cpu_op', 'aten::mm', NULL, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (1, 1, 1, 0, 10000, 'ProfilerStep#1', 1),
  (2, 1, 1, 20000, 5000, 'ProfilerStep#2', 2),
  (3, 1, 1, 30000, 5000, 'ProfilerStep#3', 3);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, input_dims_json, input_type_json) VALUES
  (101, 1, 1, 100, 50, 'aten::mm', '[[100,1000],[1000,1000]]', '["c10::BFloat16","c10::BFloat16"]'),
  (104, 1, 1, 1200, 50, 'aten::mm', '[[100,1000],[1000,1000]]', '["c10::BFloat16","c10::BFloat16"]'),
  (105, 1, 1, 2000, 50, 'aten::mm', '[[100,1000],[1000,1000]]', '["c10::BFloat16","c10::BFloat16"]'),
  (107, 1, 1, 4100, 50, 'aten::mm', '[[100,1000],[1000,1000]]', '["c10::BFloat16","c10::BFloat16"]'),
  (109, 1, 1, 5100, 50, 'aten::mm', '[[100,1000],[1000,1000]]', '["c10::BFloat16","c10::BFloat16"]'),
  (110, 1, 1, 20100, 50, 'aten::mm', '[[100,1000],[1000,1000]]', '["float","float"]'),
  (111, 1, 1, 30100, 50, 'aten::mm', '[[100,1000],[1000,1000]]', '["c10::BFloat16","c10::BFloat16"]'),
  (112, 2, 2, 100, 50, 'aten::mm', '[[100,1000],[1000,1000]]', '["c10::BFloat16","c10::BFloat16"]'),
  (113, 2, 2, 300, 70, 'aten::mm', '[[100,1000],[1000,1000]]', '["c10::BFloat16","c10::BFloat16"]');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (201, 1, 1, 110, 5, 'cudaLaunchKernel'),
  (204, 1, 1, 1210, 5, 'cudaLaunchKernel'),
  (205, 1, 1, 2010, 5, 'cudaLaunchKernel'),
  (207, 1, 1, 4110, 5, 'cudaLaunchKernel'),
  (209, 1, 1, 5110, 5, 'cudaLaunchKernel'),
  (210, 1, 1, 20110, 5, 'cudaLaunchKernel'),
  (211, 1, 1, 30110, 5, 'cudaLaunchKernel'),
  (212, 2, 2, 110, 5, 'cudaLaunchKernel');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class) VALUES
  (301, 1, 7, 10, 200, 1500, 'nvjet_tst_64x16', 'kernel', 'compute'),
  (304, 1, 7, 10, 1300, 1500, 'nvjet_tst_64x16', 'kernel', 'compute'),
  (305, 1, 7, 10, 2100, 1500, 'nvjet_tst_64x16', 'kernel', 'compute'),
  (307, 1, 7, 10, 4200, 1500, 'nvjet_tst_64x16', 'kernel', 'compute'),
  (309, 1, 7, 10, 5200, 1500, 'nvjet_tst_64x16', 'kernel', 'compute'),
  (310, 1, 7, 10, 20200, 2000, 'sm90_xmma_gemm_tf32f32_tf32f32_f32', 'kernel', 'compute'),
  (311, 1, 7, 10, 30200, 500, 'nvjet_tst_64x16', 'kernel', 'compute'),
  (312, 2, 7, 20, 200, 1500, 'nvjet_tst_64x16', 'kernel', 'compute'),
  (401, 1, 7, 10, 22300, 400, 'other', 'kernel', 'compute'),
  (402, 1, 7, 10, 23000, 9000, 'Memcpy HtoD', 'memcpy', 'memory'),
  (403, 1, 7, 10, 31000, 500, 'other', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 201, 301, 'launch', 'correlation', 1, 'default', 'link', 1),
  (2, 1, 1, 204, 304, 'launch', 'correlation', 1, 'default', 'link', 1),
  (3, 1, 1, 205, 305, 'launch', 'correlation', 1, 'default', 'link', 1),
  (4, 1, 1, 207, 307, 'launch', 'correlation', 1, 'default', 'link', 1),
  (5, 1, 1, 209, 309, 'launch', 'correlation', 1, 'default', 'link', 1),
  (6, 1, 1, 210, 310, 'launch', 'correlation', 1, 'default', 'link', 1),
  (7, 1, 1, 211, 311, 'launch', 'correlation', 1, 'default', 'link', 1),
  (8, 2, 1, 212, 312, 'launch', 'correlation', 1, 'default', 'link', 1),
  (9, 1, 1, 1, 301, 'step', 'call', 1, 'default', 'link', 1),
  (10, 1, 1, 1, 304, 'step', 'call', 1, 'default', 'link', 1),
  (11, 1, 1, 1, 305, 'step', 'call', 1, 'default', 'link', 1),
  (12, 1, 1, 1, 307, 'step', 'call', 1, 'default', 'link', 1),
  (13, 1, 1, 1, 309, 'step', 'call', 1, 'default', 'link', 1),
  (14, 1, 1, 2, 310, 'step', 'call', 1, 'default', 'link', 1),
  (15, 1, 1, 3, 311, 'step', 'call', 1, 'default', 'link', 1),
  (16, 1, 1, 2, 401, 'step', 'call', 1, 'default', 'link', 1),
  (17, 1, 1, 2, 402, 'step', 'call', 1, 'default', 'link', 1),
  (18, 1, 1, 3, 403, 'step', 'call', 1, 'default', 'link', 1);
