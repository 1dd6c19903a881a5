-- Steps of 100, 100, 100, 160, 300 and 200 without a number: the median is 130, 1.5 times of it 195. The
-- last two exceed the median by 170 and 70.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (11, 1, 9, 0, 100, 's', 1), (12, 1, 9, 100, 100, 's', 2), (13, 1, 9, 200, 100, 's', 3),
  (14, 1, 9, 300, 160, 's', 4), (15, 1, 9, 500, 300, 's', 5), (16, 1, 9, 800, 200, 's', NULL);
