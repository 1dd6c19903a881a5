-- Sizes of the tensors of dpro_byteps.sql: 16384 and 98304 bytes, on both ranks.
INSERT INTO tensor (id, trace_id, graph_id, tensor_id, n_elements, element_bytes, data_type, shape_json, name)
SELECT (r << 32) + n, r, r << 32, tensor_id, n_elements, 4, 'float32', shape, 'net/dense_' || tensor_id || '/kernel:0'
FROM (VALUES (1::BIGINT), (3::BIGINT)) AS t(r), (VALUES (0, 0, 4096, '[64,64]'), (1, 5, 24576, '[64,384]')) AS v(n, tensor_id, n_elements, shape);
