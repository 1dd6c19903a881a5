-- Ranks 2 and 5 of 8 are there, 5 twice; run 2 says no size; of run 3 one rank is there.
-- A graph of rank 1 is no timeline of it, and one of rank 0 makes no second trace of run 3.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', 8, TIMESTAMP '2024-01-01');
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (2, 'unknown', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (3, 'one', 'measured', 2, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (2, 1, 'u', 5, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (3, 1, 'v', 5, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (4, 2, 'w', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (5, 3, 'x', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, kind, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (8, 3, 'graph', 0, 'graph', 'execution_trace', 'execution_trace', 1, '0',
  TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO trace (id, run_id, name, rank, kind, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (9, 3, 'graph', 1, 'graph', 'execution_trace', 'execution_trace', 1, '0',
  TIMESTAMP '2024-01-01', 0, 0);
