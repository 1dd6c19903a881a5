-- Rectifiers of 1e6 and 3e6 elements on a V100 (15.7e12 operations, 900e9 bytes a second) and an A100 (19.5e12,
-- 2039e9); one on a device without known rates, and one on the host.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal, name, memory_bytes)
VALUES (1, 1, 'gpu', 0, 'Tesla V100-SXM2-16GB', 16945512448), (2, 1, 'gpu', 1, 'NVIDIA A100-SXM4-80GB', 84990623744),
  (3, 1, 'gpu', 2, 'Unknown', NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, input_dims_json, input_type_json)
SELECT n, 1, 1, n * 1000, 100, 'aten::relu', '[[' || e || ']]', '["float"]'
FROM (VALUES (1, 1000000), (2, 3000000), (3, 1000000), (4, 1000000), (5, 1000000)) AS v(n, e);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
SELECT 10 + n, 1, 1, n * 1000 + 10, 20, 'cudaLaunchKernel' FROM range(1, 5) AS t(n);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class, device_id)
SELECT 20 + n, 1, 1 + d, n * 1000 + 50, l, 'relu', 'kernel', 'compute', d
FROM (VALUES (1, 1, 900), (2, 1, 2600), (3, 2, 500), (4, 3, 700)) AS v(n, d, l);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
SELECT n, 1, 1, 10 + n, 20 + n, 'launch', 'correlation', 1, 'default', 'q', 1 FROM range(1, 5) AS t(n);
