-- A product of 4 x 8 and 8 x 3, 192 operations on 272 bytes, by two kernels of 99 and 199 ns, of which a
-- helper launches the second, and a collective; and a sum of 4 x 3, 12 on 96, without kernels.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO graph (id, trace_id, kind) VALUES (1, 1, 'execution_trace');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, device_kind, dur_ns, inputs_json,
  outputs_json) VALUES
  (10, 1, 1, 0, 'thread', 'cpu', NULL, '{}', '{}'),
  (11, 1, 1, 1, 'aten::mm', 'cpu', 1000,
    '{"values": [[1, 2, 0, 32, 4, "cuda:0"], [7, 4, 0, 24, 4, "cuda:0"]], "shapes": [[4, 8], [8, 3]], "types": ["Tensor(float)", "Tensor(float)"]}',
    '{"values": [[5, 6, 0, 12, 4, "cuda:0"]], "shapes": [[4, 3]], "types": ["Tensor(float)"]}'),
  (12, 1, 1, 2, 'gemm', 'gpu', 99, NULL, NULL),
  (13, 1, 1, 3, 'helper', 'cpu', 10, '{}', '{}'),
  (14, 1, 1, 4, 'splitk', 'gpu', 199, NULL, NULL),
  (15, 1, 1, 5, 'ncclDevKernel_AllReduce(x)', 'gpu', 500, NULL, NULL),
  (16, 1, 1, 6, 'aten::relu', 'cpu', 100,
    '{"values": [[5, 6, 0, 12, 4, "cuda:0"]], "shapes": [[4, 3]], "types": ["Tensor(float)"]}',
    '{"values": [[9, 10, 0, 12, 4, "cuda:0"]], "shapes": [[4, 3]], "types": ["Tensor(float)"]}');
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 1, 10, 11, 'control', 0), (2, 1, 1, 11, 12, 'control', 0), (3, 1, 1, 11, 13, 'control', 0),
  (4, 1, 1, 13, 14, 'control', 0), (5, 1, 1, 13, 15, 'control', 0), (6, 1, 1, 10, 16, 'control', 0);
