-- Two threads of gloo: an operator of the first runs inside its operation, and the thread is left out;
-- one of the second runs after the operation, as a hook of it, and the thread has pieces.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind, process_id) VALUES (1, 1, 'thread', 8), (2, 1, 'thread', 8), (3, 1, 'thread', 8);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth) VALUES
  (10, 1, 1, 10, 5, 'c10d::_allgather_base_', 0),
  (11, 1, 1, 20, 5, 'c10d::_allgather_base_', 0),
  (12, 1, 1, 90, 10, 'aten::mm', 0),
  (20, 1, 2, 12, 30, 'gloo:all_gather', 0),
  (21, 1, 2, 14, 2, 'aten::copy_', 1),
  (22, 1, 3, 22, 30, 'gloo:all_gather', 0),
  (23, 1, 3, 52, 6, 'aten::div_', 0);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE name NOT LIKE 'gloo%';
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
SELECT id, trace_id, track_id, ts, dur, name, 'host', 'all_gather' FROM slice WHERE name LIKE 'gloo%';
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
VALUES (1, 1, 1, 10, 20, 'enqueue', 'order', 0.9, 'default', 'q', 1), (2, 1, 1, 11, 22, 'enqueue', 'order', 0.9, 'default', 'q', 1);
