-- On the host: two all_reduce (0-10, 20-30) and a barrier (28-35), of which 2 ns overlap.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1000, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (1, 1, 0, 0, 10, 'gloo:all_reduce', 'host', 'all_reduce'),
  (2, 1, 0, 20, 10, 'gloo:all_reduce', 'host', 'all_reduce'),
  (3, 1, 1, 28, 7, 'gloo:barrier', 'host', 'barrier');
