-- The operators of trace 1 are slices 1 to 3; between those of trace 2, slices 11 and 13, lies an annotation;
-- those of trace 3 are no slices.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES
  (1, 1, 't', 0, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 50),
  (2, 1, 'u', 1, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 50),
  (3, 1, 'v', 2, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 50);
INSERT INTO track (id, trace_id, kind, name) VALUES (5, 1, 'thread', 'main'), (6, 2, 'thread', 'main'), (7, 3, 'thread', 'main');
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, category, depth) VALUES
  (1, 1, 5, 0, 10, 'a', 'cpu_op', 0),
  (2, 1, 5, 10, 10, 'b', 'cpu_op', 0),
  (3, 1, 5, 20, 10, 'c', 'cpu_op', 0),
  (11, 2, 6, 0, 10, 'a', 'cpu_op', 0),
  (12, 2, 6, 10, 10, 'n', 'user_annotation', 0),
  (13, 2, 6, 20, 10, 'c', 'cpu_op', 0);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES (21, 3, 7, 0, 10, 'a'), (22, 3, 7, 10, 10, 'b');
