-- Slice 1 contains 2, which contains 3; 1 and 3 are marked as leaves, 4 is not marked.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth, parent_id, is_leaf)
VALUES
  (1, 1, 0, 5, 10, 'outer', 0, NULL, true),
  (2, 1, 0, 6, 5, 'middle', 1, 1, NULL),
  (3, 1, 0, 7, 1, 'inner', 2, 2, true),
  (4, 1, 0, 20, 1, 'alone', 0, NULL, NULL);
