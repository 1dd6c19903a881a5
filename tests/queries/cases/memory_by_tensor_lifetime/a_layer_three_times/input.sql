-- input: shared/layer_three_times.sql
-- linear takes x (32 of 4 bytes, after 2 others in its storage) and a weight with strides 1, 3.
INSERT INTO tensor (id, trace_id, graph_id, tensor_id, storage_id, storage_offset, n_elements, element_bytes, device, shape_json, stride_json)
VALUES (51, 1, 10, 1, 2, 2, 32, 4, 'cuda:0', '[4,8]', NULL), (52, 1, 10, 3, 4, 0, 24, 4, 'cuda:0', '[3,8]', '[1,3]');
INSERT INTO tensor_use (id, trace_id, graph_id, graph_node_id, tensor_id, is_output, argument, ordinal)
VALUES (1, 1, 10, 102, 51, false, 0, 0), (2, 1, 10, 102, 52, false, 1, 0);
-- It gives 12 floats (storage 6), which relu takes, and mm inside gives them first.
INSERT INTO tensor (id, trace_id, graph_id, tensor_id, storage_id, storage_offset, n_elements, element_bytes, device)
VALUES (53, 1, 10, 5, 6, 0, 12, 4, 'cuda:0');
INSERT INTO tensor_use (id, trace_id, graph_id, graph_node_id, tensor_id, is_output, argument, ordinal)
VALUES (3, 1, 10, 102, 53, true, 0, 0), (4, 1, 10, 103, 53, true, 0, 0), (5, 1, 10, 104, 53, false, 0, 0);
