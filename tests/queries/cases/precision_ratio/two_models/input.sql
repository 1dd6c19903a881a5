-- Two models of 16 bits: of a MatMul on two devices, and a constant; and one of other features.
INSERT INTO cost_model SELECT n, m, 'precision_sample@1', 'x', f, '[]', 3, 0, '0', TIMESTAMP '2026-01-01'
FROM (VALUES (1, 'half', '["float32_ns"]'), (2, 'fixed', '["float32_ns"]'), (3, 'other', '["bytes"]')) AS v(n, m, f);
INSERT INTO cost_model_term VALUES
  (1, 'MatMul float16 on X', 'float32_ns', 0.25, 10, 1000), (1, 'MatMul float16 on X', 'constant', 1000, 1, 1),
  (1, 'MatMul float16 on Y', 'float32_ns', 0.75, 10, 1000),
  (2, 'Conv2D bfloat16 on X', 'constant', 30, 1, 1),
  (3, 'Conv2D bfloat16 on X', 'bytes', 2, 1, 1);
