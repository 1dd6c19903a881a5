-- An all_reduce of 3 + 5 floats among 4, seen as call and, in it, kernel of 20 ns; a send of 30 bytes to 5
-- that a file states; a wait, which moves nothing.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO graph (id, trace_id, kind) VALUES (10, 1, 'chakra');
INSERT INTO process_group (id, trace_id, graph_id, name, n_ranks) VALUES (1, 1, 10, '7', 4);
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, type, device_kind, dur_ns, inputs_json,
  outputs_json, attributes_json) VALUES
  (100, 1, 10, 0, 'c10d::allreduce_', 'COMP_NODE', 'cpu', 5,
    '{"values": [[[1, 2, 0, 3, 4, "cuda:0"], [3, 4, 0, 5, 4, "cuda:0"]], "<Object>"], "shapes": [[[3], [5]], []], "types": ["GenericList[Tensor(float),Tensor(float)]", "Object"]}',
    '{"values": [], "shapes": [], "types": []}', NULL),
  (101, 1, 10, 1, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)', 'COMM_COLL_NODE', 'gpu', 20, NULL, NULL,
    '[{"name": "comm_type", "type": "int64", "value": 0}, {"name": "comm_size", "type": "int64", "value": 99}, {"name": "pg_name", "type": "string", "value": "7"}]'),
  (102, 1, 10, 2, 'x', 'COMM_SEND_NODE', 'gpu', 10, NULL, NULL,
    '[{"name": "comm_size", "type": "int64", "value": 30}, {"name": "comm_dst", "type": "int32", "value": 5}]'),
  (103, 1, 10, 3, 'record_param_comms', 'COMP_NODE', 'cpu', 1,
    '{"values": [9, "wait"], "shapes": [[], []], "types": ["Int", "String"]}', NULL, NULL);
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) VALUES
  (1, 1, 10, 100, 101, 'control', 0);
