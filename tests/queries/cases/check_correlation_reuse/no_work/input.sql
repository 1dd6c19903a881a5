-- Nothing on the device has the id.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, correlation_id)
VALUES
  (1, 1, 0, 1, 5, 'c', 8),
  (2, 1, 0, 2, 5, 'c', 8);
