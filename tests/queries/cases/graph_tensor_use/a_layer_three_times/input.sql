-- input: shared/layer_three_times.sql
-- linear takes x (32 of 4 bytes, after 2 others in its storage) and a weight with strides 1, 3.
INSERT INTO tensor (id, trace_id, graph_id, tensor_id, storage_id, storage_offset, n_elements, element_bytes, device, shape_json, stride_json)
VALUES (51, 1, 10, 1, 2, 2, 32, 4, 'cuda:0', '[4,8]', NULL), (52, 1, 10, 3, 4, 0, 24, 4, 'cuda:0', '[3,8]', '[1,3]');
INSERT INTO tensor_use (id, trace_id, graph_id, graph_node_id, tensor_id, is_output, argument, ordinal)
VALUES (1, 1, 10, 102, 51, false, 0, 0), (2, 1, 10, 102, 52, false, 1, 0);
