-- Steps 3, 4, 7 and 9: 5, 6 and 8 are missing. A step without a number is no gap.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES
  (0, 1, 0, 0, 1, 's', 3),
  (1, 1, 0, 1, 1, 's', 4),
  (2, 1, 0, 2, 1, 's', 7),
  (3, 1, 0, 3, 1, 's', 9),
  (4, 1, 0, 4, 1, 's', NULL);
