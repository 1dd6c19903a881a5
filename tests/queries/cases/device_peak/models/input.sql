-- Names as profilers print them: variants told apart by memory, a part of a device, a die of two, none,
-- and values that the device reports itself.
INSERT INTO device (id, trace_id, kind, ordinal, name, memory_bytes, peak_flops_per_s, peak_bytes_per_s)
VALUES
  (1, 1, 'gpu', 1, 'Tesla V100-SXM2-16GB', NULL, NULL, NULL),
  (2, 1, 'gpu', 2, 'NVIDIA A100-SXM4-40GB', 42297524224, NULL, 1555200000000.0),
  (3, 1, 'gpu', 3, 'NVIDIA A100-SXM4-80GB', 84990623744, NULL, NULL),
  (4, 1, 'gpu', 4, 'NVIDIA A100-SXM4-40GB MIG 1g.5gb', 5000000000, NULL, NULL),
  (5, 1, 'gpu', 5, 'AMD Instinct MI250X/MI250', 68702699520, NULL, NULL),
  (6, 1, 'gpu', 6, '', NULL, NULL, NULL),
  (7, 1, 'gpu', 7, NULL, NULL, 3000000000.0, NULL),
  (8, 1, 'gpu', 8, 'NVIDIA GH200 480GB', 102000000000, NULL, NULL);
