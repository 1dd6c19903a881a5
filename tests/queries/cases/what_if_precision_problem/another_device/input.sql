-- input: shared/dpro_three_tensors.sql
-- input: shared/dpro_types.sql
-- parameters: model=half
-- The model was fitted to operators of the host, the ranks have GPUs.
INSERT INTO device (id, trace_id, kind, ordinal, name) SELECT id << 32, id, 'gpu', 0, 'GPU 0' FROM trace;
INSERT INTO cost_model SELECT 1, 'half', 'precision_sample@1', 'x', '["float32_ns"]', '[]', 3, 0, '0', TIMESTAMP '2026-01-01';
INSERT INTO cost_model_term VALUES (1, 'MatMul float16 on host', 'float32_ns', 0.25, 10, 1000);
