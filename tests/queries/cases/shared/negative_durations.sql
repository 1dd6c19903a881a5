-- A length of -1 is that of a slice that never ended; other negative lengths are wrong.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
VALUES
  (1, 1, 0, 5, 10, 'fine', 0),
  (2, 1, 0, 6, -1, 'open', 0),
  (3, 1, 0, 7, -7, 'odd', 0);
