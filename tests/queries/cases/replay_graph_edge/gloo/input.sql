-- A host trace names its thread for what runs on a thread of gloo: the reduction (15 to 40) begins in the
-- call (10 to 20) and is still running when the thread goes on (22 to 30).
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns, kind)
VALUES (1, 1, 't', 0, 'execution_trace', 'execution_trace', 1, '0', '2026-01-01', 0, 0, 'graph');
INSERT INTO graph (id, trace_id, kind, name) VALUES (100, 1, 'execution_trace', 'host');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, thread_id, device_kind, start_ns, dur_ns) VALUES
  (101, 1, 100, 1, 'c10d::allreduce_', 1, 'cpu', 10, 10),
  (102, 1, 100, 2, 'gloo:all_reduce', 1, 'cpu', 15, 25),
  (103, 1, 100, 3, 'aten::mm', 1, 'cpu', 22, 8);
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 100, 101, 102, 'control', 0);
