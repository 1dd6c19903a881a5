-- Clock 1 is sound; each other contradicts itself in one way.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO clock (id, trace_id, name, reference_clock_id, offset_ns, uncertainty_ns, method)
VALUES
  (1, 1, 'host', NULL, 0, 5, 'file'),
  (2, 1, 'gpu', 2, 0, 5, 'file'),
  (3, 1, 'nic', 77, 0, 5, 'file'),
  (4, 1, 'a', 1, 0, -5, 'file'),
  (5, 1, 'b', 1, NULL, 5, NULL),
  (6, 1, 'c', 1, 7, NULL, NULL);
