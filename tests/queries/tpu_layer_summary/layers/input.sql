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
INSERT INTO tpu_command (slice_id, trace_id, track_id, ts, dur, core, engine, kind, layer_id, bytes,
  source_memory, destination_memory, alg_ops, uarch_ops, alg_cycles) VALUES
  (1, 1, 0, 0, 4000, 0, 'GDMA', 'transfer', 10, 128000, 'DDR', 'LMEM', NULL, NULL, NULL),
  (2, 1, 0, 4000, 1000, 0, 'TIU', 'compute', 11, NULL, NULL, NULL, 640000, 1280000, 500),
  (3, 1, 0, 4500, 3000, 0, 'GDMA', 'transfer', 11, 64000, 'LMEM', 'DDR', NULL, NULL, NULL),
  (4, 1, 0, 7000, 200, 0, 'TIU', 'sync', 11, NULL, NULL, NULL, 1, 1, 0),
  (5, 1, 0, 9000, 100, 0, 'GDMA', 'transfer', NULL, 5, 'DDR', 'LMEM', NULL, NULL, NULL),
  (6, 2, 0, 10, -1, 1, 'TIU', 'compute', 20, NULL, NULL, NULL, NULL, NULL, NULL);
