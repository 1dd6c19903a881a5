-- Two calls of mm in float32 take 1,020 ns on an A100, whose rate is 19.5 TFLOP/s in float32 and 312 in bfloat16:
-- 1 - 19.5 / 312 of it, 956.25.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal, name, memory_bytes) VALUES (10, 1, 'gpu', 0, 'NVIDIA A100-SXM4-40GB', 42297524224);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, input_dims_json, input_type_json)
VALUES
  (1, 1, 0, 0, 100, 'aten::mm', '[[2,3],[3,4]]', '["float","float"]'),
  (2, 1, 0, 200, 100, 'aten::mm', '[[2,3],[3,4]]', '["float","float"]'),
  (3, 1, 0, 400, 50, 'aten::mm', '[[1,3],[3,4]]', '["float","float"]');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (11, 1, 0, 10, 5, 'cudaLaunchKernel'), (12, 1, 0, 210, 5, 'cudaLaunchKernel'),
  (13, 1, 0, 500, 5, 'cudaLaunchKernel');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class) VALUES
  (21, 1, 7, 10, 50, 1000, 'gemm', 'kernel', 'compute'),
  (22, 1, 7, 10, 250, 20, 'gemm', 'kernel', 'compute'),
  (23, 1, 7, 10, 550, 20, 'other', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT n, 1, 1, 10 + n, 20 + n, 'launch', 'correlation', 1, 'default', 'link_launch', 1
FROM (VALUES (1), (2), (3)) AS v(n);
