-- A job of two ranks, and a trace without a rank, a timeline or a file.
INSERT INTO run (id, name, kind, world_size, created_at) VALUES
  (1, 'job', 'measured', 2, TIMESTAMP '2024-01-01'),
  (2, 'other', 'predicted', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES
  (1, 1, 'rank0', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01 10:00:00', 0, 0, 0, 70),
  (2, 1, 'rank1', 1, 'chrome', 'chrome', 1, '0', TIMESTAMP '2024-01-01 11:00:00', 0, 0, 5, 90),
  (3, 2, 'x', NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01 12:00:00', 0, 0, NULL, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth) VALUES (1, 1, 0, 0, 5, 0), (2, 1, 0, 5, 5, 0);
INSERT INTO source_file VALUES
  (1, 1, '/a', NULL, 'trace', 10, 100, 'x'), (2, 1, '/b', NULL, 'log', 10, 11, 'y'),
  (3, 2, '/c', NULL, 'trace', 10, 200, 'z');
UPDATE trace SET damage = 'the file ends early at byte 99' WHERE id = 2;
