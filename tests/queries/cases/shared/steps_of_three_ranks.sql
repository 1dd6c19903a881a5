-- Rank 0 has steps 1 to 3, rank 1 has 2 and 3, rank 2 none, and the file of rank 0 marks step 3 twice. Run 2 has one trace.
-- A graph of run 1 has no steps.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (2, 's', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (2, 1, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (3, 1, 'v', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (4, 2, 'w', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES
  (1, 1, 0, 1, 1, 's', 1),
  (2, 1, 0, 2, 1, 's', 2),
  (3, 1, 0, 3, 1, 's', 3),
  (4, 1, 0, 4, 1, 's', 3),
  (5, 2, 0, 5, 1, 's', 2),
  (6, 2, 0, 6, 1, 's', 3),
  (7, 4, 0, 7, 1, 's', 9);
INSERT INTO trace (id, run_id, name, rank, kind, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (9, 1, 'graph', 0, 'graph', 'execution_trace', 'execution_trace', 1, '0',
  TIMESTAMP '2024-01-01', 0, 0);
