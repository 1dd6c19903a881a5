-- input: shared/three_sessions.sql
-- parameters: skip_sessions=1
-- window: 19ns 30ns
-- b runs in the window, its input a ends before.
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name) VALUES (1, 1, 1, 0, 'a'), (2, 1, 1, 1, 'b');
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 1, 1, 2, 'data', 0);
