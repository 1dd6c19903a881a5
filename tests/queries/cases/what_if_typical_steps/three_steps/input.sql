-- Steps of 10, 10 and 40 of a thread: the piece of the last one is cut to the median.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind) VALUES (1, 1, 'thread');
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth) VALUES
  (1, 1, 1, 0, 10, 'user_annotation', 'ProfilerStep#1', 0), (2, 1, 1, 10, 10, 'user_annotation', 'ProfilerStep#2', 0),
  (3, 1, 1, 20, 40, 'user_annotation', 'ProfilerStep#3', 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
SELECT id, trace_id, track_id, ts, dur, name, id FROM slice;
