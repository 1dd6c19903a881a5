-- Two forward passes, after each of which three reductions of 1000, 2000 and 4000 bytes take 100, and a tenth more
-- for each byte; the second run has the sizes 1000, 1500 and 1500, which are about the same.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01'), (2, 's', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0), (2, 2, 'b', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0);
INSERT INTO track (id, trace_id, kind) VALUES (1, 1, 'thread'), (2, 2, 'thread');
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth)
SELECT 100 * t + n, t, t, 2000 * n, 100, 'user_annotation', 'DistributedDataParallel.forward', 0
FROM range(2) AS a(n), range(1, 3) AS b(t)
UNION ALL
SELECT 100 * t + 10 + n, t, t, 2000 * (n // 3) + 600 * (n % 3) + 150, 100, 'user_annotation', 'gloo:all_reduce', 0
FROM range(6) AS a(n), range(1, 3) AS b(t);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, input_bytes)
SELECT 100 * t + 10 + n, t, t, 2000 * (n // 3) + 600 * (n % 3) + 150, 100 + bytes // 10, 'gloo:all_reduce', 'host', 'all_reduce', bytes
FROM (
  SELECT t, n, CASE t WHEN 1 THEN [1000, 2000, 4000] ELSE [1000, 1500, 1500] END[n % 3 + 1] AS bytes
  FROM range(6) AS a(n), range(1, 3) AS b(t)
);
