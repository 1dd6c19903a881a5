-- input: shared/dpro_three_tensors.sql
-- input: shared/dpro_types.sql
-- parameters: clusters=net/MatMul+gradient_tape/net/a,gradient_tape/net/b model=measured_1
-- The program took 30 µs less with the pair, so it takes 170 µs; b was not measured.
INSERT INTO cost_model VALUES
  (21, 'measured_1', 'measured', 'digest', '[]', '[]', 2, 0, '1', TIMESTAMP '2026-01-01'),
  (22, 'fused', 'fused_sample@1', 'digest', '["parts_ns", "rest_ns"]', '[]', 3, 0, '1', TIMESTAMP '2026-01-01');
INSERT INTO cost_model_group VALUES
  (21, 'without', 1, 0, NULL, NULL), (21, 'gradient_tape/net/a+net/MatMul', 1, 0, NULL, NULL), (22, 'fused operators', 3, 0, NULL, NULL);
INSERT INTO cost_model_term VALUES
  (21, 'without', 'constant', 5e6, 1, 1), (21, 'gradient_tape/net/a+net/MatMul', 'constant', 4.97e6, 1, 1),
  (22, 'fused operators', 'parts_ns', 0.25, 1e5, 1e6), (22, 'fused operators', 'rest_ns', 0.5, 1e5, 1e6),
  (22, 'fused operators', 'constant', 1000, 1, 1);
