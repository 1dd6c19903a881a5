-- parameters: first_id=11 last_id=15
-- Attributes at the places where PyTorch writes them; in another order, with one more; beyond 63 bits;
-- text for a number; no list at all. The first and the last node are not asked for.
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, record_function_id, sequence_number,
  thread_id, op_schema, attributes_json) VALUES
  (10, 1, 1, 0, 'before', 1, 1, 1, '', '[]'),
  (11, 1, 1, 1, 'aten::add', 3, -1, 1, 'add(Tensor self)',
    '[{"name": "rf_id", "type": "uint64", "value": 3}, {"name": "fw_parent", "type": "uint64", "value": 7}, {"name": "seq_id", "type": "int64", "value": -1}, {"name": "scope", "type": "uint64", "value": 1}, {"name": "tid", "type": "uint64", "value": 1}, {"name": "fw_tid", "type": "uint64", "value": 2}, {"name": "op_schema", "type": "string", "value": "add(Tensor self)"}]'),
  (12, 1, 1, 2, 'aten::mul', 4, 8, 1, NULL,
    '[{"name": "fw_tid", "value": 6}, {"name": "more", "value": "x"}, {"name": "scope", "value": 5}, {"name": "fw_parent", "value": 9}]'),
  (13, 1, 1, 3, 'aten::sub', NULL, NULL, NULL, '',
    '[{"name": "rf_id", "value": 0}, {"name": "fw_parent", "value": 18446744073709551615}, {"name": "seq_id", "value": 0}, {"name": "scope", "value": "x"}, {"name": "tid", "value": 0}, {"name": "fw_tid", "value": 4}]'),
  (14, 1, 1, 4, 'aten::div', 5, -1, 2, 's', '{"name": "scope", "value": 1}'),
  (15, 1, 1, 5, 'ncclDevKernel_AllReduce', NULL, NULL, NULL, NULL, NULL),
  (16, 1, 1, 6, 'behind', 1, 1, 1, '', '[]');
