-- input: shared/dpro_three_tensors.sql
-- input: shared/dpro_types.sql
-- parameters: operators=net/MatMul
-- gradient_tape/net/b takes what net/MatMul returns, too. The graph lists that first, so b has a lower number than
-- gradient_tape/net/a, which begins before it and so contains the cast.
UPDATE graph_edge SET id = id + 100;

INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal)
SELECT (1 + r) << 32, 1 + r, (1 + r) << 32, (1 + r) << 32, ((1 + r) << 32) + 2, 'data', 0 FROM range(2) AS t(r);

UPDATE graph_node SET inputs_json = '[{"name": "gradient_tape/net/a:0", "shape": [100, 50], "dtype": "float32"},
  {"name": "net/MatMul:0", "shape": [100, 50], "dtype": "float32"}]'
WHERE name = 'gradient_tape/net/b';
