-- On an A100, 312 TFLOP/s in float16 and 1,555 GB/s. 1001 x 1024 by 1024 x 1024 takes 10,000 ns; with 1008 rows
-- it has 2 x 1008 x 1024 x 1024 operations, 6,775.4 ns. A linear layer of 4 x 250 x 1024 with 1001 outputs takes
-- 7,000 ns; with 1008 outputs it has 2 x 1000 x 1024 x 1008 operations, 6,616.6 ns. Two products of 10 x 16 by
-- 16 x 24 take 1,020 ns; memory limits them: 2 x 1,568 bytes, 2.0 ns. Left out: multiples of 8, a product of one
-- row, and one in float32.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal, name, memory_bytes) VALUES (10, 1, 'gpu', 0, 'NVIDIA A100-SXM4-40GB', 42297524224);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, input_dims_json, input_type_json)
VALUES
  (1, 1, 0, 0, 100, 'aten::mm', '[[1001,1024],[1024,1024]]', '["c10::Half","c10::Half"]'),
  (2, 1, 0, 200, 100, 'aten::linear', '[[4,250,1024],[1001,1024]]', '["c10::Half","c10::Half"]'),
  (3, 1, 0, 400, 100, 'aten::mm', '[[10,16],[16,24]]', '["c10::Half","c10::Half"]'),
  (4, 1, 0, 600, 100, 'aten::mm', '[[10,16],[16,24]]', '["c10::Half","c10::Half"]'),
  (5, 1, 0, 800, 100, 'aten::mm', '[[16,16],[16,24]]', '["c10::Half","c10::Half"]'),
  (6, 1, 0, 1000, 100, 'aten::mm', '[[1,1024],[1024,1001]]', '["c10::Half","c10::Half"]'),
  (7, 1, 0, 1200, 100, 'aten::mm', '[[10,16],[16,24]]', '["float","float"]');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
SELECT 10 + n, 1, 0, 200 * (n - 1) + 10, 5, 'cudaLaunchKernel' FROM range(1, 8) AS r(n);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class)
SELECT 20 + n, 1, 7, 10, 20000 * n, [10000, 7000, 1000, 20, 1000, 5000, 1000][n], 'gemm', 'kernel', 'compute'
FROM range(1, 8) AS r(n);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT n, 1, 1, 10 + n, 20 + n, 'launch', 'correlation', 1, 'default', 'link_launch', 1
FROM range(1, 8) AS r(n);
