-- Three layers: a load of 128 000 bytes in 4000 ns, a convolution that takes 500 of its 1000 ns at the
-- peak and stores 64 000 bytes meanwhile and waits, and one that has no commands. One command is of no
-- layer. The layer of the second trace has commands that moved nothing.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', NULL, 'sophgo', 'sophgo', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 1, 'u', NULL, 'sophgo', 'sophgo', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal, name, properties_json) VALUES
  (1, 1, 'tpu', 0, 'AKS', '{"TIU Frequency(MHz)": 1000}');
INSERT INTO tpu_layer (id, trace_id, ordinal, core, file_line, name, operation) VALUES
  (10, 1, 1, 0, 7, 'x', 'Load'),
  (11, 1, 2, 0, 8, 'y', 'Conv2D'),
  (12, 1, 3, 0, 9, NULL, 'Reshape'),
  (20, 2, 1, 1, NULL, 'z', 'Add');
INSERT INTO tpu_operation (id, trace_id, track_id, core, engine, kind, layer_id, source_memory,
  destination_memory)
VALUES
  (1, 1, 0, 0, 'GDMA', 'transfer', 10, 'DDR', 'LMEM'),
  (2, 1, 0, 0, 'TIU', 'compute', 11, NULL, NULL),
  (3, 1, 0, 0, 'GDMA', 'transfer', 11, 'LMEM', 'DDR'),
  (4, 1, 0, 0, 'TIU', 'sync', 11, NULL, NULL),
  (5, 1, 0, 0, 'GDMA', 'transfer', NULL, 'DDR', 'LMEM'),
  (6, 2, 0, 1, 'TIU', 'compute', 20, NULL, NULL);
INSERT INTO tpu_dma_record (slice_id, trace_id, operation_id, ts, dur, bytes)
VALUES (1, 1, 1, 0, 4000, 128000), (3, 1, 3, 4500, 3000, 64000), (5, 1, 5, 9000, 100, 5);
INSERT INTO tpu_tiu_record (slice_id, trace_id, operation_id, ts, dur, alg_ops, uarch_ops, alg_cycles)
VALUES
  (2, 1, 2, 4000, 1000, 640000, 1280000, 500),
  (4, 1, 4, 7000, 200, 1, 1, 0),
  (6, 2, 6, 10, -1, NULL, NULL, NULL);
