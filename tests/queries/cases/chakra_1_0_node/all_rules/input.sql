-- parameters: graph_id=20 device_trace_id=1
-- The same traces as for linked_node, by the other rules: memsets, orphans, and work launched on a thread
-- without operators are not there. The root's record function id is 0, which no operator has.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES (1, 1, 'timeline', 'kineto', 'kineto', 1, '1', '2026-01-01', 1000500, 500),
  (2, 1, 'nodes', 'execution_trace', 'execution_trace', 1, '1', '2026-01-01', 0, 0);
INSERT INTO thread (id, trace_id, process_id, tid, source_tid)
VALUES (10, 1, 1, 70, '70'), (11, 1, 1, 80, '80'), (12, 1, 1, 7, '7');
INSERT INTO track (id, trace_id, kind, thread_id, device_id, stream)
VALUES (100, 1, 'thread', 10, NULL, NULL), (101, 1, 'thread', 11, NULL, NULL),
  (102, 1, 'stream', 12, 0, 7);
INSERT INTO graph (id, trace_id, kind, attributes_json) VALUES (20, 2, 'execution_trace', '{}');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, parent_node_id, name, record_function_id,
  thread_id)
VALUES (200, 2, 20, 1, 1, '[pytorch|profiler|execution_trace|process]', 0, 0),
  (201, 2, 20, 2, 1, '[pytorch|profiler|execution_trace|thread]', 0, 1),
  (202, 2, 20, 5, 2, 'aten::linear', 1, 1), (203, 2, 20, 6, 5, 'aten::mm', 2, 1),
  (204, 2, 20, 9, 2, 'aten::add', 3, 1), (205, 2, 20, 11, 2, 'aten::gone', 8, 1);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (1, 1, 100, 0, 10000, 'cpu_op', 'aten::linear', 0, NULL),
  (2, 1, 100, 1000, 5000, 'cpu_op', 'aten::mm', 1, 1),
  (3, 1, 100, 20000, 4000, 'cpu_op', 'aten::add', 0, NULL),
  (4, 1, 100, 21000, 2000, 'cpu_op', 'aten::inner', 1, 3),
  (11, 1, 100, 2000, 500, 'cuda_runtime', 'cudaLaunchKernel', 2, 2),
  (12, 1, 100, 7000, 500, 'cuda_runtime', 'cudaLaunchKernel', 1, 1),
  (13, 1, 100, 21500, 500, 'cuda_runtime', 'cudaMemsetAsync', 2, 4),
  (14, 1, 101, 22000, 500, 'cuda_runtime', 'cudaLaunchKernel', 0, NULL),
  (21, 1, 102, 8000, 3000, 'kernel', 'mm', 0, NULL),
  (22, 1, 102, 11000, 500, 'kernel', 'bias', 0, NULL),
  (23, 1, 102, 22500, 100, 'gpu_memset', 'Memset', 0, NULL),
  (24, 1, 102, 23000, 100, 'kernel', 'strange', 0, NULL),
  (25, 1, 102, 24000, 100, 'kernel', 'orphan', 0, NULL),
  (26, 1, 102, 25000, 100, 'kernel', 'orphan of linear', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, external_id, record_function_id)
VALUES (1, 1, 100, 0, 10000, 'aten::linear', 31, 1), (2, 1, 100, 1000, 5000, 'aten::mm', 32, 2),
  (3, 1, 100, 20000, 4000, 'aten::add', 33, 3), (4, 1, 100, 21000, 2000, 'aten::inner', 34, 4);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category, correlation_id,
  external_id)
VALUES (11, 1, 100, 2000, 500, 'cudaLaunchKernel', 'cuda_runtime', 901, 32),
  (12, 1, 100, 7000, 500, 'cudaLaunchKernel', 'cuda_runtime', 902, 31),
  (13, 1, 100, 21500, 500, 'cudaMemsetAsync', 'cuda_runtime', 903, 34),
  (14, 1, 101, 22000, 500, 'cudaLaunchKernel', 'cuda_runtime', 904, NULL);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class, device_id, stream,
  correlation_id, external_id)
VALUES (21, 1, 102, 8000, 3000, 'mm', 'kernel', 'compute', 0, 7, 901, 32),
  (22, 1, 102, 11000, 500, 'bias', 'kernel', 'compute', 0, 7, 902, 31),
  (23, 1, 102, 22500, 100, 'Memset', 'memset', 'memory', 0, 7, 903, 34),
  (24, 1, 102, 23000, 100, 'strange', 'kernel', 'compute', 0, 7, 904, 904),
  (25, 1, 102, 24000, 100, 'orphan', 'kernel', 'compute', 0, 7, 905, 905),
  (26, 1, 102, 25000, 100, 'orphan of linear', 'kernel', 'compute', 0, 7, 906, 31);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT to_id, 1, 1, from_id, to_id, 'launch', 'correlation', 1, 'default', 'q', 1
FROM (VALUES (11, 21), (12, 22), (13, 23), (14, 24)) AS l(from_id, to_id);
