-- parameters: name=forward buckets=2
-- Three iterations on rank 0, at 0, 10 and 30, two on rank 1, at 5 and 25; another name, a mark, and a range
-- that never ended do not count.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side, style)
VALUES
  (1, 1, 1, 0, 4, 'forward', 'host', NULL), (2, 1, 1, 10, 8, 'forward', 'host', NULL),
  (3, 1, 1, 30, 4, 'forward', 'host', NULL), (4, 1, 1, 31, 1, 'other', 'host', NULL),
  (5, 1, 1, 32, 0, 'forward', 'host', 'mark'), (6, 1, 1, 33, -1, 'forward', 'host', NULL),
  (11, 2, 2, 5, 6, 'forward', 'host', NULL), (12, 2, 2, 25, 14, 'forward', 'host', NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth, category, name)
SELECT slice_id, trace_id, track_id, ts, dur, 0, 'user_annotation', name FROM annotation;
