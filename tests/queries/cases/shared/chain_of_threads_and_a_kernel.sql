-- A thread that sends with a kernel and then runs an optimizer with one operator in it, and another
-- thread that waits for the first's second operator. The process node stands alone.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'execution_trace', 'execution_trace', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO graph (id, trace_id, kind) VALUES (1, 1, 'execution_trace'), (2, 1, 'execution_trace');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, device_kind, record_function_id,
  sequence_number, thread_id, op_schema, start_ns, exclusive_us, inputs_json, attributes_json,
  extra_json) VALUES
  (10, 1, 1, 0, '[pytorch|profiler|execution_trace|process]', 'cpu', 0, -1, 0, '', NULL, NULL, '{}',
    '[{"name": "rf_id", "type": "uint64", "value": 0}, {"name": "fw_parent", "type": "uint64", "value": 0}, {"name": "seq_id", "type": "int64", "value": -1}, {"name": "scope", "type": "uint64", "value": 7}, {"name": "tid", "type": "uint64", "value": 0}, {"name": "fw_tid", "type": "uint64", "value": 0}]', NULL),
  (11, 1, 1, 1, '[pytorch|profiler|execution_trace|thread]', 'cpu', 0, -1, 1, '', NULL, NULL, '{}',
    '[{"name": "fw_tid", "value": 6}, {"name": "scope", "value": 7}, {"name": "fw_parent", "value": 5}]', NULL),
  (12, 1, 1, 2, 'c10d::send', 'cpu', 8, -1, 1, 'c10d::send(Tensor[] tensors)', 5000, 12.9,
    '{"values": [[[40, 41, 0, 10, 4, "cuda:0"], [42, 43, 0, 3, 2, "cuda:0"]], "<Object>", 1, 7], "types": ["GenericList[Tensor(float),Tensor(c10::Half)]", "Object", "Int", "Int"]}',
    '[{"name": "fw_parent", "value": 0}, {"name": "scope", "value": 0}, {"name": "fw_tid", "value": 0}]', NULL),
  (13, 1, 1, 3, 'ncclDevKernel_SendRecv(x)', 'gpu', 8, -1, 1, 'c10d::send(Tensor[] tensors)', 6000, 7.5,
    '{"values": [[[40, 41, 0, 10, 4, "cuda:0"], [42, 43, 0, 3, 2, "cuda:0"]], "<Object>", 1, 7], "types": ["GenericList[Tensor(float),Tensor(c10::Half)]", "Object", "Int", "Int"]}',
    '[{"name": "fw_parent", "value": 0}, {"name": "scope", "value": 0}, {"name": "fw_tid", "value": 0}]',
    '{"cat": "kernel", "stream": 20, "pg_name": "1"}'),
  (14, 1, 1, 4, 'Optimizer.step#SGD.step', 'cpu', 9, -1, 1, '', 7000, 900, '{}',
    '[{"name": "fw_parent", "value": 0}, {"name": "scope", "value": 7}, {"name": "fw_tid", "value": 0}]', NULL),
  (15, 1, 1, 5, 'aten::add_', 'cpu', 10, 4, 1, 's', 7500, 3.999, '{}',
    '[{"name": "fw_parent", "value": 0}, {"name": "scope", "value": 0}, {"name": "fw_tid", "value": 0}]', NULL),
  (16, 1, 1, 6, '[pytorch|profiler|execution_trace|thread]', 'cpu', 0, -1, 2, '', NULL, NULL, '{}',
    '[{"name": "fw_parent", "value": 0}, {"name": "scope", "value": 7}, {"name": "fw_tid", "value": 0}]', NULL),
  (17, 1, 1, 7, 'aten::mul', 'cpu', 11, -1, 2, 's', 9000, 1, '{}', '[{"name": "scope", "value": "x"}]',
    '{"inter_thread_dep": 4}'),
  (20, 1, 2, 0, 'of another graph', 'cpu', 0, -1, 0, '', NULL, NULL, '{}', '[]', NULL);
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 1, 10, 11, 'control', 0), (2, 1, 1, 11, 12, 'control', 0), (3, 1, 1, 12, 13, 'control', 0),
  (4, 1, 1, 11, 14, 'control', 0), (5, 1, 1, 14, 15, 'control', 0), (6, 1, 1, 10, 16, 'control', 0),
  (7, 1, 1, 16, 17, 'control', 0), (8, 1, 1, 14, 17, 'inter_thread', 1);
