-- input: shared/cuda_copies_and_waits.sql
-- window: 309ns 320ns
-- The memset runs in the window; its call ended before.
UPDATE gpu_op SET dur = 9 WHERE slice_id = 27;
UPDATE launch SET dur = 3 WHERE slice_id = 17;
