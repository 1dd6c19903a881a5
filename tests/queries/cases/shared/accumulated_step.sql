-- A step of training from a Chakra file: x (48 bytes) → mm a; its gradient mul g of a, which AccumulateGrad
-- keeps; then the optimizer adds g to w. a, g and w take 400 bytes each.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, kind, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 'graph', 0, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO graph (id, trace_id, kind) VALUES (10, 1, 'chakra');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, op_schema, thread_id, dur_ns, device_kind, inputs_json, outputs_json)
SELECT id, 1, 10, id, name, op_schema, 1, dur_ns, 'cpu',
  '{"values": "[' || taken || ']", "shapes": "[]", "types": "[]"}',
  '{"values": "[' || given || ']", "shapes": "[]", "types": "[]"}'
FROM (VALUES
  (100, 'aten::mm', 'aten::mm(Tensor self, Tensor mat2) -> Tensor', 1000, '[1, 0, 0, 12, 4, ''cuda:0'']', '[2, 1, 0, 100, 4, ''cuda:0'']'),
  (101, 'autograd::engine::evaluate_function: MmBackward0', NULL, 100, '', ''),
  (102, 'aten::mul', 'aten::mul.Tensor(Tensor self, Tensor other) -> Tensor', 900, '[2, 1, 0, 100, 4, ''cuda:0'']', '[3, 2, 0, 100, 4, ''cuda:0'']'),
  (103, 'torch::autograd::AccumulateGrad', NULL, 60, '', ''),
  (104, 'detach', NULL, 40, '[3, 2, 0, 100, 4, ''cuda:0'']', ''),
  (105, 'Optimizer.step#SGD.step', NULL, 50, '', ''),
  (106, 'aten::add_', 'aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)', 70,
    '[4, 3, 0, 100, 4, ''cuda:0''], [3, 2, 0, 100, 4, ''cuda:0'']', '[4, 3, 0, 100, 4, ''cuda:0'']')
) AS n(id, name, op_schema, dur_ns, taken, given);
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 10, 101, 102, 'control', 0), (2, 1, 10, 103, 104, 'control', 0), (3, 1, 10, 105, 106, 'control', 0),
  (4, 1, 10, 100, 101, 'data', 1), (5, 1, 10, 101, 102, 'data', 1), (6, 1, 10, 102, 103, 'data', 1),
  (7, 1, 10, 103, 104, 'data', 1), (8, 1, 10, 104, 105, 'data', 1), (9, 1, 10, 105, 106, 'data', 1);
