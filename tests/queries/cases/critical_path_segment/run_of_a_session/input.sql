-- A run waits on thread 1; thread 2 works from 10 to 90 with a pause. The run returns after it, 100.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'ctf', 'ctf', 1, '0', '2026-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind) VALUES (1, 1, 'thread'), (2, 1, 'thread');
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 1, 0, 100, 'session', 'DirectSession::Run', 0, NULL),
  (2, 1, 2, 10, 20, 'scheduling', 'a', 0, NULL),
  (3, 1, 2, 40, 50, 'scheduling', 'b', 0, NULL),
  (4, 1, 2, 50, 30, 'cpu_op', 'b', 1, 3);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (1, 1, 1, 0, 100, 'DirectSession::Run', 0);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (1, 1, 1, 3, 1, 'join', 'executor', 0.8, 'default', 'q', 1);
