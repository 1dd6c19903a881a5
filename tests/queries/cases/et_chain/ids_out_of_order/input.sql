-- parameters: graph_id=1
-- A thread (10) calls a (11) and b (12); c (13) was called by a although its id comes after b's, and has
-- a kernel (14). The walk is thread, a, c, kernel, b.
INSERT INTO graph (id, trace_id, kind) VALUES (1, 1, 'execution_trace');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, device_kind, thread_id) VALUES
  (10, 1, 1, 1, '[pytorch|profiler|execution_trace|thread]', 'cpu', 1),
  (11, 1, 1, 2, 'a', 'cpu', 1),
  (12, 1, 1, 3, 'b', 'cpu', 1),
  (13, 1, 1, 4, 'c', 'cpu', 1),
  (14, 1, 1, 5, 'kernel', 'gpu', 1);
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 1, 10, 11, 'control', 0), (2, 1, 1, 10, 12, 'control', 0),
  (3, 1, 1, 11, 13, 'control', 0), (4, 1, 1, 13, 14, 'control', 0);
