-- input: shared/accumulated_step.sql
-- parameters: batches=2
-- Half of the first kernel, the second is the shortest: 3,200 ns, more than the 2,100 of the host, which mm waits.
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, thread_id, dur_ns, device_kind, attributes_json)
SELECT id, 1, 10, id, name, 1, dur_ns, 'gpu', '[{"name": "is_cpu_op", "type": "bool", "value": "false"}, {"name": "stream", "type": "int64", "value": "7"}]'
FROM (VALUES (110, 'gemm', 5000), (112, 'mul', 700)) AS n(id, name, dur_ns);
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (10, 1, 10, 100, 110, 'control', 0), (11, 1, 10, 102, 112, 'control', 0),
  (12, 1, 10, 100, 110, 'data', 0), (13, 1, 10, 102, 112, 'data', 0);
