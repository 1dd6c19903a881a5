-- input: shared/three_sessions.sql
-- parameters: skip_sessions=1
-- b waits for a and for c, which never runs. In session 2 a ends at 18 and b begins at 20; in session 3
-- the last a ends at 80, after the last b has begun at 75.
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name) VALUES
  (1, 1, 1, 0, 'a'), (2, 1, 1, 1, 'b'), (3, 1, 1, 2, 'c');
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 1, 1, 2, 'data', 0), (2, 1, 1, 3, 2, 'data', 1);
