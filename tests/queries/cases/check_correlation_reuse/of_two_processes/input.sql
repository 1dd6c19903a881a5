-- Id 7 is on a call of each of two processes; each is linked to its own kernel, so only a note.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, correlation_id)
VALUES (1, 1, 100, 1, 5, 'c', 7), (2, 1, 200, 2, 5, 'c', 7);
INSERT INTO gpu_op (slice_id, trace_id, track_id, stream, ts, dur, name, kind, class, correlation_id)
VALUES (11, 1, 101, 7, 5, 5, 'k', 'kernel', 'compute', 7),
  (12, 1, 201, 7, 5, 5, 'k', 'kernel', 'compute', 7);
INSERT INTO link
SELECT g, 1, 1, c, g, 'launch', 'correlation', 1, 'default', 'link_launch', 1
FROM (VALUES (1, 11), (2, 12)) AS t(c, g);
