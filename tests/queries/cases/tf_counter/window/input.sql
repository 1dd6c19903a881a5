-- input: shared/three_sessions.sql
-- window: 14ns 16ns
-- As other_trace, of which one kernel runs in the window.
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (2, 1, 'u', 0, 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO metric (id, trace_id, slice_id, ordinal, name, value, match_status) VALUES
  (1, 1, 22, 1, 'w', 7, 'name'), (2, 2, NULL, 0, 'v', 1, 'none'), (3, 2, NULL, 1, 'v', 2, 'none'),
  (4, 2, NULL, 2, 'v', 3, 'none');
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth, name) VALUES (22, 1, 2, 15, 8, 0, 'k');
