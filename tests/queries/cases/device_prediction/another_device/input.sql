-- input: shared/rectifiers_on_two_devices.sql
-- parameters: model=devices flops_per_s=1e13 bytes_per_s=1e12
-- 8000 and 24000 ns of traffic by 1.25, and 100 ns.
INSERT INTO cost_model VALUES
  (31, 'devices', 'device_sample@1', 'digest', '["flops_ns", "bytes_ns"]', '[]', 3, 0, '1', TIMESTAMP '2026-01-01');
INSERT INTO cost_model_group VALUES (31, 'aten::relu float32', 3, 0, NULL, NULL);
INSERT INTO cost_model_term VALUES
  (31, 'aten::relu float32', 'flops_ns', 0, 51, 192), (31, 'aten::relu float32', 'bytes_ns', 1.25, 3900, 26667),
  (31, 'aten::relu float32', 'constant', 100, 1, 1);
