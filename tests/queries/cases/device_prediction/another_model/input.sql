-- input: shared/rectifiers_on_two_devices.sql
-- parameters: model=sizes flops_per_s=1e13 bytes_per_s=1e12
-- A model of the operators of one device predicts no other.
INSERT INTO cost_model VALUES
  (31, 'sizes', 'operator_sample@1', 'digest', '["flops", "bytes"]', '[]', 3, 0, '1', TIMESTAMP '2026-01-01');
INSERT INTO cost_model_group VALUES (31, 'aten::relu float32 on X', 3, 0, NULL, NULL);
INSERT INTO cost_model_term VALUES (31, 'aten::relu float32 on X', 'flops', 1, 1, 2);
