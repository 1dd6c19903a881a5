-- Rank 0 has an offset, rank 1 has none, rank 2 has no clock at all; run 2 has one trace.
-- Rank 0 of both runs has a graph, too, which is on no clock. Run 3 has two traces of one rank.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (2, 's', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, 1);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (2, 1, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, 2);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (3, 1, 'v', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (4, 2, 'w', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO clock (id, trace_id, name, reference_clock_id, offset_ns, uncertainty_ns, method)
VALUES
  (1, 1, 'host', NULL, 0, 5, 'collective'),
  (2, 2, 'host', NULL, NULL, NULL, NULL);
INSERT INTO trace (id, run_id, name, rank, kind, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (8, 1, 'graph', 0, 'graph', 'execution_trace', 'execution_trace', 1, '0',
  TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO trace (id, run_id, name, rank, kind, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (9, 2, 'graph', 0, 'graph', 'execution_trace', 'execution_trace', 1, '0',
  TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO run (id, name, kind, created_at) VALUES (3, 'q', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (10, 3, 'x', 4, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (11, 3, 'y', 4, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
