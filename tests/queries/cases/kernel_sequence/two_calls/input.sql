-- parameters: min_works=2
-- Two calls of linear around one of addmm each: a copy and a kernel, 10 ns apart; a third call of linear has
-- only a kernel, and one more has three kernels in another order.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id, is_leaf)
VALUES
  (10, 1, 1, 0, 100, 'cpu_op', 'linear', 0, NULL, NULL), (11, 1, 1, 10, 50, 'cpu_op', 'addmm', 1, 10, true),
  (20, 1, 1, 200, 100, 'cpu_op', 'linear', 0, NULL, NULL), (21, 1, 1, 210, 50, 'cpu_op', 'addmm', 1, 20, true),
  (30, 1, 1, 400, 100, 'cpu_op', 'linear', 0, NULL, true), (40, 1, 1, 600, 100, 'cpu_op', 'linear', 0, NULL, true);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice;
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (101, 1, 2, 5, 7, 1000, 20, 'Memcpy', 'memcpy', 'memory'), (102, 1, 2, 5, 7, 1030, 40, 'gemm', 'kernel', 'compute'),
  (201, 1, 2, 5, 7, 2000, 30, 'Memcpy', 'memcpy', 'memory'), (202, 1, 2, 5, 7, 2040, 40, 'gemm', 'kernel', 'compute'),
  (301, 1, 2, 5, 7, 3000, 70, 'gemm', 'kernel', 'compute'),
  (401, 1, 2, 5, 7, 4000, 10, 'gemm', 'kernel', 'compute'),
  (402, 1, 2, 5, 7, 4005, 10, 'vectorized_elementwise_kernel', 'kernel', 'compute'),
  (403, 1, 2, 5, 7, 4020, 10, 'gemm', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT 1000 + row_number() OVER (), 1, 1, a, b, k, 'r', 1, 'default', 'q', 1
FROM (VALUES
  (51, 101, 'launch'), (52, 102, 'launch'), (53, 201, 'launch'), (54, 202, 'launch'), (55, 301, 'launch'),
  (56, 401, 'launch'), (57, 402, 'launch'), (58, 403, 'launch'),
  (10, 51, 'op_launch'), (11, 52, 'op_launch'), (20, 53, 'op_launch'), (21, 54, 'op_launch'),
  (30, 55, 'op_launch'), (40, 56, 'op_launch'), (40, 57, 'op_launch'), (40, 58, 'op_launch')
) AS l(a, b, k);
