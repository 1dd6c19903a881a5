-- A recording of the device alone.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO gpu_op (slice_id, trace_id, track_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 7, 50, 10, 'a', 'kernel', 'compute');
