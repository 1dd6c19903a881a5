-- The first and the last of thirty lie an hour from the rest; neither time is 0 in the file.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  1000, 0, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
SELECT n, 1, 0, CASE n WHEN 0 THEN 0 WHEN 29 THEN 7200000000000 ELSE 3600000000000 + n * 1000 END, 1, 's', 0
FROM range(30) AS r(n);
