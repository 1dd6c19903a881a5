-- A step of training from a Chakra file: x (48 bytes) → mm a → relu b → sum c (4); ones d, mul e of d
-- and b; then add_ adds a to x. a, b, d and e take 400 bytes each. mm, relu and mul launch kernels on stream 7.
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
  (101, 'aten::relu', 'aten::relu(Tensor self) -> Tensor', 500, '[2, 1, 0, 100, 4, ''cuda:0'']', '[3, 2, 0, 100, 4, ''cuda:0'']'),
  (102, 'aten::sum', 'aten::sum(Tensor self) -> Tensor', 300, '[3, 2, 0, 100, 4, ''cuda:0'']', '[4, 3, 0, 1, 4, ''cuda:0'']'),
  (103, 'aten::ones', NULL, 200, '', '[5, 4, 0, 100, 4, ''cuda:0'']'),
  (104, 'aten::mul', 'aten::mul.Tensor(Tensor self, Tensor other) -> Tensor', 400,
    '[5, 4, 0, 100, 4, ''cuda:0''], [3, 2, 0, 100, 4, ''cuda:0'']', '[6, 5, 0, 100, 4, ''cuda:0'']'),
  (105, 'aten::add_', 'aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)', 600,
    '[1, 0, 0, 12, 4, ''cuda:0''], [2, 1, 0, 100, 4, ''cuda:0'']', '[1, 0, 0, 12, 4, ''cuda:0'']')
) AS n(id, name, op_schema, dur_ns, taken, given);
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, thread_id, dur_ns, device_kind, attributes_json)
SELECT id, 1, 10, id, name, 1, dur_ns, 'gpu', '[{"name": "is_cpu_op", "type": "bool", "value": "false"}, {"name": "stream", "type": "int64", "value": "7"}]'
FROM (VALUES (110, 'gemm', 5000), (111, 'relu', 700), (114, 'mul', 900)) AS n(id, name, dur_ns);
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 10, 100, 110, 'control', 0), (2, 1, 10, 101, 111, 'control', 0), (3, 1, 10, 104, 114, 'control', 0),
  (4, 1, 10, 100, 110, 'data', 0), (5, 1, 10, 101, 111, 'data', 0), (6, 1, 10, 104, 114, 'data', 0),
  (7, 1, 10, 100, 101, 'data', 1), (8, 1, 10, 101, 102, 'data', 1), (9, 1, 10, 102, 103, 'data', 1),
  (10, 1, 10, 103, 104, 'data', 1), (11, 1, 10, 104, 105, 'data', 1);
