-- Slices 4294967296, 4294967297 and 4294967299 are there: ids with a gap. The parents 4294967297 and 4294967298, the track 4294967301
-- and the device of an operation: only the first of these exists. A link leads to a slice of a trace that is not there.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO track (id, trace_id, kind)
VALUES
  (4294967296, 1, 'thread');
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth, parent_id)
VALUES
  (4294967296, 1, 4294967296, 5, 10, 's', 0, NULL),
  (4294967297, 1, 4294967296, 5, 10, 's', 1, 4294967297),
  (4294967299, 1, 4294967301, 5, 10, 's', 1, 4294967298);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, kind, class)
VALUES
  (4294967299, 1, 4294967296, 4294967305, 5, 10, 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
VALUES
  (4294967296, 1, 1, 4294967296, 30064771072, 'flow', 'r', 1, 'default', 'q', 1);
