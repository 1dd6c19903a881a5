-- input: shared/layer_three_times.sql
-- parameters: a=r b=other
-- The other run: linear without mm inside, and relu under linear.
INSERT INTO run (id, name, kind, created_at) VALUES (2, 'other', 'measured', TIMESTAMP '2024-01-02');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (3, 2, 't', 3, 'x', 'x', 1, '0', TIMESTAMP '2024-01-02', 0, 0);
INSERT INTO graph (id, trace_id, kind) VALUES (40, 3, 'execution_trace');
INSERT INTO graph_node
SELECT * REPLACE (id + 300 AS id, 3 AS trace_id, 40 AS graph_id)
FROM graph_node WHERE graph_id = 10 AND id <> 103;
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (21, 3, 40, 400, 401, 'control', 0), (22, 3, 40, 401, 402, 'control', 0),
  (24, 3, 40, 402, 404, 'control', 0);
