-- input: shared/dpro_three_tensors.sql
-- input: shared/dpro_types.sql
-- parameters: clusters=net/MatMul+gradient_tape/net/a
-- b takes what MatMul returns, too: it is still written, but read once less.
UPDATE graph_node SET inputs_json = replace(inputs_json, 'gradient_tape/net/a:0', 'net/MatMul:0') WHERE name = 'gradient_tape/net/b';
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal) SELECT ((1 + r) << 32) + 8, 1 + r, (1 + r) << 32, (1 + r) << 32, ((1 + r) << 32) + 2, 'data', 0 FROM range(2) AS t(r);
