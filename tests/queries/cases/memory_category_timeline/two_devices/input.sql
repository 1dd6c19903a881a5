-- cuda 0 held 100 bytes before. inner allocates at 20, below a Python frame, and at 30; at 60 outer
-- releases the first and allocates more at the same address. Outside of operators, an unknown block
-- is released, and an address is allocated whose release is missing. cuda 1 held 40 bytes before and
-- says categories, and nothing else.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 0, 0, 100, 'cpu_op', 'outer', 0, NULL),
  (2, 1, 0, 10, 40, 'cpu_op', 'inner', 1, 1),
  (3, 1, 0, 15, 10, 'python_function', 'a.py(1): f', 2, 2),
  (10, 1, 0, 20, 0, 'cpu_instant_event', '[memory]', 3, 3),
  (11, 1, 0, 30, 0, 'cpu_instant_event', '[memory]', 2, 2),
  (12, 1, 0, 60, 0, 'cpu_instant_event', '[memory]', 1, 1),
  (13, 1, 0, 60, 0, 'cpu_instant_event', '[memory]', 1, 1),
  (14, 1, 0, 150, 0, 'cpu_instant_event', '[memory]', 0, NULL),
  (15, 1, 0, 160, 0, 'cpu_instant_event', '[memory]', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
VALUES (1, 1, 0, 0, 100, 'outer'), (2, 1, 0, 10, 40, 'inner');
INSERT INTO memory_event (slice_id, trace_id, track_id, ts, name, address, bytes,
  total_allocated_bytes, total_reserved_bytes, device_kind, device_ordinal, category) VALUES
  (10, 1, 0, 20, '[memory]', 64, 512, 612, 2048, 'cuda', 0, NULL),
  (11, 1, 0, 30, '[memory]', 128, 256, 868, 2048, 'cuda', 0, NULL),
  (12, 1, 0, 60, '[memory]', 64, -512, 356, 2048, 'cuda', 0, NULL),
  (13, 1, 0, 60, '[memory]', 64, 1024, 1380, 4096, 'cuda', 0, NULL),
  (14, 1, 0, 150, '[memory]', 999, -100, 1280, 4096, 'cuda', 0, NULL),
  (15, 1, 0, 160, '[memory]', 128, 300, 1580, 4096, 'cuda', 0, NULL),
  (NULL, 1, 0, 5, 'create', NULL, 10, 50, NULL, 'cuda', 1, 'parameter'),
  (NULL, 1, 0, 6, 'create', NULL, 30, 80, NULL, 'cuda', 1, 'activation'),
  (NULL, 1, 0, 7, 'destroy', NULL, -30, 80, NULL, 'cuda', 1, 'activation'),
  (NULL, 1, 0, 8, 'create', NULL, 5, NULL, NULL, 'cuda', 1, NULL);
