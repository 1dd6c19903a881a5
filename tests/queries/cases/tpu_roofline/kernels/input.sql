-- A chip of 64 GB/s and 1 GHz. Kernel k ran on two cores: 8.192e6 operations that take 1000 cycles at
-- the peak, in 3000 ns; 128 000 bytes, 2000 ns of DDR, on one of the cores. Of kernel w no shapes are
-- known. Outside of kernels something is moved, at the peak, whose way is not known; CDMA is no part of it. The second trace
-- says nothing of its chip.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'sophgo', 'sophgo', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 1, 'u', 1, 'sophgo', 'sophgo', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal, name, properties_json) VALUES
  (1, 1, 'tpu', 0, 'AKS', '{"Core Num": 8, "DDR Max BW(GB/s/Core)": 64.0, "L2 Max BW(GB/s)": 128,
    "TIU Frequency(MHz)": 1000, "DMA Frequency(MHz)": 1000}');
INSERT INTO tpu_operation (id, trace_id, track_id, core, engine, kind, kernel_name, kernel_scope,
  direction, source_memory, destination_memory, is_ddr)
VALUES
  (1, 1, 0, 0, 'TIU', 'compute', 'k', 0, NULL, NULL, NULL, NULL),
  (2, 1, 0, 0, 'GDMA', 'transfer', 'k', 0, 'DDR->LMEM', 'DDR', 'LMEM', true),
  (3, 1, 0, 1, 'TIU', 'compute', 'k', 0, NULL, NULL, NULL, NULL),
  (4, 1, 0, 0, 'TIU', 'compute', 'w', 1, NULL, NULL, NULL, NULL),
  (5, 1, 0, 0, 'TIU', 'sync', 'w', 1, NULL, NULL, NULL, NULL),
  (6, 1, 0, 0, 'GDMA', NULL, NULL, NULL, NULL, NULL, NULL, true),
  (7, 1, 0, NULL, 'CDMA', 'transfer', 'k', 0, 'DDR->DDR', 'DDR', 'DDR', true),
  (8, 2, 0, 0, 'TIU', 'compute', 'k', 0, NULL, NULL, NULL, NULL);
INSERT INTO tpu_tiu_record (slice_id, trace_id, operation_id, ts, dur, alg_ops, alg_cycles)
VALUES
  (1, 1, 1, 0, 1000, 4096000, 500),
  (3, 1, 3, 0, 1000, 4096000, 500),
  (4, 1, 4, 3000, 500, NULL, NULL),
  (5, 1, 5, 3500, 500, NULL, NULL),
  (8, 2, 8, 0, -1, 100, 1);
INSERT INTO tpu_dma_record (slice_id, trace_id, operation_id, ts, dur, bytes)
VALUES (2, 1, 2, 500, 1500, 128000), (6, 1, 6, 5000, 100, 6400);
INSERT INTO tpu_cdma_record (slice_id, trace_id, operation_id, ts, dur, bytes)
VALUES (7, 1, 7, 0, 9000, 1000000);
