-- 2 touches 1; 3 starts 5 ns before 2 ends; 5 lies inside 4. 6 runs on another track, 7 has no length, 8
-- is a wait. 9 starts long after 5 but before 4 has ended.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO gpu_op (slice_id, trace_id, track_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 0, 0, 10, 'a', 'kernel', 'compute'),
  (2, 1, 0, 0, 10, 10, 'b', 'kernel', 'compute'),
  (3, 1, 0, 0, 15, 10, 'c', 'kernel', 'compute'),
  (4, 1, 0, 0, 100, 50, 'd', 'kernel', 'compute'),
  (5, 1, 0, 0, 110, 10, 'e', 'kernel', 'compute'),
  (6, 1, 1, 1, 15, 10, 'f', 'kernel', 'compute'),
  (7, 1, 0, 0, 16, 0, 'g', 'kernel', 'compute'),
  (8, 1, 0, 0, 17, 90, 'h', 'sync', 'compute'),
  (9, 1, 0, 0, 148, 10, 'i', 'kernel', 'compute');
