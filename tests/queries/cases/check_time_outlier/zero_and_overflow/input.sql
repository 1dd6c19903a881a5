-- A hundred slices within 100 us; one at the file's time 0, an hour earlier. That one lasts an hour is nothing odd.
-- The trace of rank 1 has the same hundred alone; that of rank 2 spreads them over the hour.
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
SELECT t * 1000 + n, t, 0, 3600000000000 + n * 1000, 500, 's', 0
FROM range(100) AS r(n), (VALUES (1), (2)) AS v(t)
UNION ALL SELECT 3000 + n, 3, 0, n * 36000000000, 500, 's', 0 FROM range(100) AS r(n)
UNION ALL SELECT 1500, 1, 0, 0, 10, 'zero', 0
UNION ALL SELECT 1501, 1, 0, 3600000050000, 3600000000000, 'long', 0;
