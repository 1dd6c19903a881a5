-- Types and shapes of the operators of dpro_three_tensors.sql: a MatMul of a weight of 50 elements returns 5000; a
-- ReluGrad takes and returns 5000 in 100 µs, 0.4 byte/ns; an Exp takes these, in 40 µs.
UPDATE graph_node SET type = 'MatMul',
  inputs_json = '[{"name": "net/kernel:0", "shape": [10, 5], "dtype": "float32"}, {"name": "ids:0", "shape": [4], "dtype": "int32"}]',
  outputs_json = '[{"name": "net/MatMul:0", "shape": [100, 50], "dtype": "float32"}]'
WHERE name = 'net/MatMul';

UPDATE graph_node SET type = 'ReluGrad',
  inputs_json = '[{"name": "net/MatMul:0", "shape": [100, 50], "dtype": "float32"}]',
  outputs_json = '[{"name": "gradient_tape/net/a:0", "shape": [100, 50], "dtype": "float32"}]'
WHERE name = 'gradient_tape/net/a';

UPDATE graph_node SET type = 'Exp',
  inputs_json = '[{"name": "gradient_tape/net/a:0", "shape": [100, 50], "dtype": "float32"}]',
  outputs_json = '[{"name": "net/bias:0", "shape": [25], "dtype": "float32"}]'
WHERE name = 'gradient_tape/net/b';

UPDATE cpu_op SET dur = 40000 WHERE name = 'gradient_tape/net/b';
