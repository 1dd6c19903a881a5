-- input: shared/dpro_three_tensors.sql
-- input: shared/dpro_types.sql
-- parameters: operators=net/MatMul,*nowhere* model=half cast_bytes_per_s=1e8
-- A MatMul takes a quarter and 1 µs.
INSERT INTO cost_model SELECT 1, 'half', 'precision_sample@1', 'x', '["float32_ns"]', '[]', 3, 0, '0', TIMESTAMP '2026-01-01';
INSERT INTO cost_model_term VALUES
  (1, 'MatMul float16 on X', 'float32_ns', 0.25, 10, 1000), (1, 'MatMul float16 on X', 'constant', 1000, 1, 1);
