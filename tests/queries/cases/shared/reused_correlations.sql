-- Id 7 is on three calls and on two operations, id 8 on two calls, id 9 on one.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, correlation_id)
VALUES
  (1, 1, 0, 1, 5, 'c', 8),
  (2, 1, 0, 2, 5, 'c', 8),
  (3, 1, 0, 3, 5, 'c', 7),
  (4, 1, 0, 4, 5, 'c', 7),
  (5, 1, 0, 5, 5, 'c', 7),
  (6, 1, 0, 6, 5, 'c', 9),
  (7, 1, 0, 7, 5, 'c', NULL),
  (8, 1, 0, 8, 5, 'c', NULL);
INSERT INTO gpu_op (slice_id, trace_id, track_id, stream, ts, dur, name, kind, class, correlation_id)
VALUES
  (11, 1, 0, 7, 5, 5, 'k', 'kernel', 'compute', 7),
  (12, 1, 0, 7, 5, 5, 'k', 'memcpy', 'compute', 7),
  (13, 1, 0, 7, 5, 5, 'k', 'kernel', 'compute', 9),
  (14, 1, 0, 7, 5, 5, 'k', 'sync', 'compute', 8);
INSERT INTO link
SELECT g, 1, 1, c, g, 'launch', 'correlation', p, 'default', 'link_launch', 1
FROM (VALUES (5, 11, 0.9), (5, 12, 0.9), (6, 13, 1)) AS t(c, g, p);
