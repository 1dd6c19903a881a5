-- One layer, relu(linear(x)), three times: as a host execution trace, linked with a timeline (4 x 8
-- by 3 x 8, and two kernels), and as an imported .et whose texts are Python's and which states the
-- work of a kernel itself. The process is its own parent, and no other edge leads to it.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
SELECT id, 1, 't' || id, 3, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0
FROM (VALUES (1), (2)) AS t(id);
INSERT INTO device (id, trace_id, kind, ordinal, peak_flops_per_s, peak_bytes_per_s)
VALUES (7, 1, 'gpu', 0, 2e12, 1e12);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream) VALUES
  (61, 1, 1, 7, 2000, 100, 'gemm', 'kernel', 'compute', 5),
  (62, 1, 1, 7, 2100, 10, 'relu', 'kernel', 'compute', 5);
INSERT INTO graph (id, trace_id, kind, format_version, link_set, of_graph_id) VALUES
  (10, 1, 'execution_trace', '1.1.1-chakra.0.0.4', NULL, NULL),
  (20, 1, 'linked', NULL, 'default', 10),
  (30, 2, 'chakra', '1.1.1-chakra.0.0.4', NULL, NULL);
INSERT INTO graph_node (id, trace_id, graph_id, node_id, parent_node_id, name, thread_id, device_kind,
  inputs_json, outputs_json, attributes_json) VALUES
  (100, 1, 10, 1, 1, '[pytorch|profiler|execution_trace|process]', 0, 'cpu',
    '{"values": [], "shapes": [], "types": []}', '{"values": [], "shapes": [], "types": []}', '[]'),
  (101, 1, 10, 2, 1, '[pytorch|profiler|execution_trace|thread]', 1, 'cpu',
    '{"values": [], "shapes": [], "types": []}', '{"values": [], "shapes": [], "types": []}', '[]'),
  (102, 1, 10, 3, 2, 'aten::linear', 1, 'cpu',
    '{"values": [[1, 2, 0, 32, 4, "cuda:0"], [3, 4, 0, 24, 4, "cuda:0"], "<None>"], "shapes": [[4, 8], [3, 8], []], "types": ["Tensor(float)", "Tensor(float)", "None"]}',
    '{"values": [[5, 6, 0, 12, 4, "cuda:0"]], "shapes": [[4, 3]], "types": ["Tensor(float)"]}', '[]'),
  (103, 1, 10, 7, 3, 'aten::mm', 1, 'cpu',
    '{"values": [[1, 2, 0, 32, 4, "cuda:0"], [7, 4, 0, 24, 4, "cuda:0"]], "shapes": [[4, 8], [8, 3]], "types": ["Tensor(float)", "Tensor(float)"]}',
    '{"values": [[5, 6, 0, 12, 4, "cuda:0"]], "shapes": [[4, 3]], "types": ["Tensor(float)"]}', '[]'),
  (104, 1, 10, 8, 2, 'aten::relu', 1, 'cpu',
    '{"values": [[5, 6, 0, 12, 4, "cuda:0"]], "shapes": [[4, 3]], "types": ["Tensor(float)"]}',
    '{"values": [[9, 10, 0, 12, 4, "cuda:0"]], "shapes": [[4, 3]], "types": ["Tensor(float)"]}', '[]');
INSERT INTO graph_node (id, trace_id, graph_id, node_id, parent_node_id, name, thread_id, slice_id,
  start_ns, dur_ns, device_kind, of_node_id, exclusive_us) VALUES
  (200, 1, 20, 0, 0, '[pytorch|profiler|execution_trace|process]', 0, NULL, NULL, NULL, 'cpu', 100, NULL),
  (201, 1, 20, 1, 0, '[pytorch|profiler|execution_trace|thread]', 1, NULL, NULL, NULL, 'cpu', 101, NULL),
  (202, 1, 20, 2, 1, 'aten::linear', 1, 51, 1000, 300, 'cpu', 102, 0.1),
  (203, 1, 20, 3, 2, 'aten::mm', 1, 52, 1050, 200, 'cpu', 103, NULL),
  (204, 1, 20, 4, 3, 'gemm', 1, 61, 2000, 100, 'gpu', 103, NULL),
  (205, 1, 20, 5, 1, 'aten::relu', 1, 53, 1400, -1, 'cpu', 104, NULL),
  (206, 1, 20, 6, 5, 'relu', 1, 62, 2100, 10, 'gpu', 104, NULL);
INSERT INTO graph_node (id, trace_id, graph_id, node_id, parent_node_id, name, type, thread_id,
  dur_ns, device_kind, inputs_json, outputs_json, attributes_json) VALUES
  (302, 2, 30, 3, 2, 'aten::linear', 'COMP_NODE', 1, 1000, 'cpu',
    '{"values": "[[1, 2, 0, 32, 4, ''cuda:0''], [3, 4, 0, 24, 4, ''cuda:0''], ''<None>'']", "shapes": "[[4, 8], [3, 8], []]", "types": "[''Tensor(float)'', ''Tensor(float)'', ''None'']"}',
    '{"values": "[]", "shapes": "[]", "types": "[]"}',
    '[{"name": "is_cpu_op", "type": "bool", "value": true}]'),
  (303, 2, 30, 4, 3, 'gemm', 'COMP_NODE', 1, 2000, 'gpu', NULL, NULL,
    '[{"name": "is_cpu_op", "type": "bool", "value": false}, {"name": "num_ops", "type": "int64", "value": 9}]'),
  (304, 2, 30, 5, NULL, 'own', 'COMP_NODE', 1, 4000, 'gpu', NULL, NULL,
    '[{"name": "num_ops", "type": "int64", "value": 1000}, {"name": "tensor_size", "type": "uint64", "value": 500}]');
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 10, 100, 101, 'control', 0), (2, 1, 10, 101, 102, 'control', 0),
  (3, 1, 10, 102, 103, 'control', 0), (4, 1, 10, 101, 104, 'control', 0),
  (5, 1, 20, 200, 201, 'control', 0), (6, 1, 20, 201, 202, 'control', 0),
  (7, 1, 20, 202, 203, 'control', 0), (8, 1, 20, 203, 204, 'control', 0),
  (9, 1, 20, 201, 205, 'control', 0), (10, 1, 20, 205, 206, 'control', 0),
  (11, 1, 20, 204, 205, 'sync', 1), (12, 1, 20, 204, 206, 'stream_order', 1),
  (13, 2, 30, 302, 303, 'control', 0), (14, 2, 30, 302, 303, 'data', 1),
  (15, 2, 30, 302, 304, 'data', 0);
INSERT INTO tensor (id, trace_id, graph_id, tensor_id, storage_id, n_elements, element_bytes) VALUES
  (1, 1, 10, 1, 2, 32, 4), (2, 1, 10, 3, 4, 24, 4), (3, 1, 10, 5, 6, 12, 4), (4, 1, 10, 7, 4, 24, 4),
  (5, 1, 10, 9, 10, 12, 4);
