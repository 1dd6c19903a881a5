-- parameters: graph_id=25
-- Call 13 repeats the id of 11; 12 is none of the list and may. Node 4 stands for what has less than no
-- time of its own; c is its name in the execution trace.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES (1, 1, 'timeline', 'kineto', 'kineto', 1, '1', '2026-01-01', 1000500, 500),
  (2, 1, 'nodes', 'execution_trace', 'execution_trace', 1, '1', '2026-01-01', 0, 0);
INSERT INTO thread (id, trace_id, process_id, tid, source_tid)
VALUES (10, 1, 1, 70, '70'), (11, 1, 1, 80, '80'), (12, 1, 1, 7, '7');
INSERT INTO track (id, trace_id, kind, thread_id, device_id, stream)
VALUES (100, 1, 'thread', 10, NULL, NULL), (101, 1, 'thread', 11, NULL, NULL),
  (102, 1, 'stream', 12, 0, 7);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (1, 1, 100, 0, 5000, 'cpu_op', 'a', 0, NULL), (2, 1, 100, 10000, 4000, 'cpu_op', 'b', 0, NULL),
  (3, 1, 100, 20000, 1000, 'cpu_op', 'c', 0, NULL), (4, 1, 101, 2000000, 1000, 'cpu_op', 'd', 0, NULL),
  (11, 1, 100, 1000, 500, 'cuda_runtime', 'cudaLaunchKernel', 1, 1),
  (12, 1, 100, 10500, 3000, 'cuda_runtime', 'cudaDeviceSynchronize', 1, 2),
  (13, 1, 100, 20100, 500, 'cuda_runtime', 'cudaLaunchKernel', 1, 3);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, external_id, record_function_id)
VALUES (1, 1, 100, 0, 5000, 'a', 31, 1), (2, 1, 100, 10000, 4000, 'b', 32, 2),
  (3, 1, 100, 20000, 1000, 'c', 33, 3), (4, 1, 101, 2000000, 1000, 'd', 34, 4);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category, correlation_id,
  external_id)
VALUES (11, 1, 100, 1000, 500, 'cudaLaunchKernel', 'cuda_runtime', 901, 31),
  (12, 1, 100, 10500, 3000, 'cudaDeviceSynchronize', 'cuda_runtime', 901, 32),
  (13, 1, 100, 20100, 500, 'cudaLaunchKernel', 'cuda_runtime', 901, 33);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class, device_id, stream,
  correlation_id, external_id, sync_kind)
VALUES (21, 1, 102, 8000, 3000, 'k', 'kernel', 'compute', 0, 7, 901, 31, NULL),
  (22, 1, 102, 21000, 2000, 'l', 'kernel', 'compute', 0, 7, 903, 33, NULL),
  (23, 1, 102, 10500, 3000, 'Context Sync', 'sync', 'sync', 0, -1, 902, 32, 'Context Sync');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, side, group_name)
VALUES (21, 1, 102, 8000, 3000, 'device', '0'), (22, 1, 102, 21000, 2000, 'device', '0');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT to_id, 1, 1, from_id, to_id, kind, 'correlation', 1, 'default', 'q', 1
FROM (VALUES (11, 21, 'launch'), (13, 22, 'launch'), (12, 23, 'sync_call')) AS l(from_id, to_id, kind);
INSERT INTO graph (id, trace_id, kind, attributes_json) VALUES (20, 2, 'execution_trace', '{}');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, parent_node_id, name, record_function_id,
  thread_id)
VALUES (200, 2, 20, 1, 1, '[pytorch|profiler|execution_trace|process]', 0, 0),
  (201, 2, 20, 2, 1, '[pytorch|profiler|execution_trace|thread]', 0, 1),
  (202, 2, 20, 5, 2, 'aten::linear', 1, 1), (203, 2, 20, 6, 5, 'aten::mm', 2, 1),
  (204, 2, 20, 9, 2, 'aten::add', 3, 1), (205, 2, 20, 11, 2, 'aten::gone', 8, 1);
INSERT INTO graph (id, trace_id, kind, link_set, of_graph_id, device_trace_id)
VALUES (25, 2, 'linked', 'default', 20, 1);
INSERT INTO graph_node (id, trace_id, graph_id, node_id, parent_node_id, slice_id, device_kind,
  start_ns, dur_ns, record_function_id, exclusive_us)
VALUES (250, 2, 25, 0, 0, NULL, 'cpu', NULL, NULL, 0, NULL),
  (251, 2, 25, 1, 0, 1, 'cpu', 1000000, 5000, 1, 5),
  (252, 2, 25, 2, 1, 21, 'gpu', 1008000, 3000, 1, 3),
  (253, 2, 25, 3, 0, 2, 'cpu', 1010000, 4000, 2, 4),
  (254, 2, 25, 4, 0, 3, 'cpu', 1020000, 1000, 3, 1),
  (255, 2, 25, 5, 4, 22, 'gpu', 1021000, 2000, 3, 2),
  (256, 2, 25, 6, 0, 4, 'cpu', 3000000, 1000, 4, 1);
UPDATE graph_node SET exclusive_us = -0.0002, of_node_id = 204, name = 'c' WHERE id = 254;
