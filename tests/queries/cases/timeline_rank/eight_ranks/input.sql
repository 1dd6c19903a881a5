-- parameters: max_ranks=4
-- Run 1: eight ranks whose mean step times are 10 to 80 ns, in the order 3 1 2 8 7 4 6 5. Of four,
-- one is the shortest (rank 1), one the longest (rank 3), two are around the middle (ranks 5 and 7).
-- Run 2: five ranks without steps, by the lengths of their traces: 50, 10, 30, 20, 40. Run 3: two.
INSERT INTO run (id, name, kind, created_at)
SELECT n, 'r' || n, 'measured', TIMESTAMP '2024-01-01' FROM range(1, 4) AS t(n);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
SELECT col0, col1, 't', col2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0,
  col3
FROM (VALUES
  (1, 1, 0, 900), (2, 1, 1, 900), (3, 1, 2, 900), (4, 1, 3, 900),
  (5, 1, 4, 900), (6, 1, 5, 900), (7, 1, 6, 900), (8, 1, 7, 900),
  (11, 2, 0, 50), (12, 2, 1, 10), (13, 2, 2, 30), (14, 2, 3, 20), (15, 2, 4, 40),
  (21, 3, 0, 50), (22, 3, 1, 10), (23, 3, NULL, 10)
);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
SELECT 100 + col0 * 10 + s, col0, 1, s * 100, col1 + 2 * s - 1, 's', s
FROM (VALUES (1, 30), (2, 10), (3, 20), (4, 80), (5, 70), (6, 40), (7, 60), (8, 50)),
  range(2) AS t(s);
