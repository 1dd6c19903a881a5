-- Two ranks with a host trace each, and no timeline. Rank 0: a process (no time) with a thread, on which
-- A 0-100 (self time 60) contains launch 20-60; launch starts k 50-80 on stream 7, A the all-reduce 90-150
-- on stream 8; sync 110-160 waits for that. Rank 1: A 0-80 starts the all-reduce 80-100.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, kind, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 'a', 0, 'graph', 'execution_trace', 'execution_trace', 1, '0', '2026-01-01', 0, 0),
  (2, 1, 'b', 1, 'graph', 'execution_trace', 'execution_trace', 1, '0', '2026-01-01', 0, 0);
INSERT INTO graph (id, trace_id, kind) VALUES (1, 1, 'execution_trace'), (2, 2, 'execution_trace');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, device_kind, thread_id, start_ns, dur_ns, extra_json) VALUES
  (1, 1, 1, 1, 'process', 'cpu', 0, NULL, NULL, NULL),
  (2, 1, 1, 2, 'A', 'cpu', 1, 1000, 100, NULL),
  (3, 1, 1, 3, 'launch', 'cpu', 1, 1020, 40, NULL),
  (4, 1, 1, 4, 'k', 'gpu', 1, 1050, 30, '{"stream": 7}'),
  (5, 1, 1, 5, 'ncclDevKernel_AllReduce(x)', 'gpu', 1, 1090, 60, '{"stream": 8, "pg_name": "0"}'),
  (6, 1, 1, 6, 'sync', 'cpu', 1, 1110, 50, NULL),
  (7, 2, 2, 1, 'A', 'cpu', 1, 5000, 80, NULL),
  (8, 2, 2, 2, 'ncclDevKernel_AllReduce(x)', 'gpu', 1, 5080, 20, '{"stream": 8, "pg_name": "0"}');
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 1, 1, 2, 'control', 0), (2, 1, 1, 2, 3, 'control', 0), (3, 1, 1, 3, 4, 'control', 0),
  (4, 1, 1, 2, 5, 'control', 0), (5, 1, 1, 1, 6, 'control', 0), (6, 1, 1, 5, 6, 'sync', 1),
  (7, 2, 2, 7, 8, 'control', 0);
