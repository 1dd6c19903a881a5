-- Three dependencies between nodes with starts, one of which points back; one of control that does; and one
-- on a node without a start. Another trace has none that points back.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
SELECT id, 1, 't' || id, 3, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0
FROM (VALUES (1), (2)) AS t(id);
INSERT INTO graph (id, trace_id, kind) VALUES (1, 1, 'execution_trace'), (2, 2, 'execution_trace');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, start_ns) VALUES
  (10, 1, 1, 0, 'a', 100), (11, 1, 1, 1, 'b', 200), (12, 1, 1, 2, 'c', 300), (13, 1, 1, 3, 'd', NULL),
  (20, 2, 2, 0, 'a', 100), (21, 2, 2, 1, 'b', 100);
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 1, 10, 11, 'inter_thread', 0), (2, 1, 1, 12, 10, 'sync', 0), (3, 1, 1, 11, 12, 'sync', 0),
  (4, 1, 1, 12, 11, 'control', 1), (5, 1, 1, 13, 10, 'sync', 1), (6, 2, 2, 21, 20, 'sync', 0);
