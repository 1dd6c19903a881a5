-- Trace 1 is empty, trace 2 has a slice, trace 3 a graph and no timeline.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (2, 1, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (3, 1, 'v', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
VALUES
  (1, 2, 0, 5, 10, 's', 0);
INSERT INTO graph (id, trace_id, kind)
VALUES
  (1, 3, 'execution_trace');
