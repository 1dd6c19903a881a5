-- At most a microsecond may be rounding.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, correlation_id)
VALUES
  (10, 1, 0, 5000, 5, 'c', 1);
INSERT INTO gpu_op (slice_id, trace_id, track_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 7, 4000, 10, 'a', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
VALUES
  (1, 1, 1, 10, 1, 'launch', 'correlation', 1, 'default', 'link_launch', 1);
