-- What the import counted, by kind.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO import_problem (id, trace_id, kind, severity, count, "offset", example, meaning)
VALUES
  (1, 1, 'truncated', 'error', 1, 5000, '{"ph": ', 'the file ends within an event; it was left out'),
  (2, 1, 'odd_number', 'note', 4, NULL, '1e3', 'a number in another style'),
  (3, 1, 'nothing', 'error', 0, NULL, NULL, 'never seen');
