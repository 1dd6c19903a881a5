-- A chip with all values, one of which nothing is known, and a device of another kind.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'sophgo', 'sophgo', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 1, 'u', 1, 'sophgo', 'sophgo', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal, name, properties_json) VALUES
  (1, 1, 'tpu', 0, 'A2', '{"Platform": "ASIC", "Chip Arch": "A2", "Core Num": 2, "NPU Num": 32, "Cube IC Align(8bits)": 32, "Cube OHOW Align(8bits)": 4, "Vector OHOW Align(8bits)": 16, "TIU Frequency(MHz)": 900.5, "DMA Frequency(MHz)": 750, "DDR Frequency(MHz)": 4266, "TPU Lmem Size(MiB)": 4}'),
  (2, 2, 'tpu', 0, 'x', NULL),
  (3, 2, 'tpu_core', 0, 'Core 0', '{"Core Num": 7}');
