-- Times in ns since the start of T = 2023-11-14, in run 1:
-- rank 0: w1 0 to 100 with steps 1 and 2, w2 100 to 200 with steps 3 and 4: another time. w3 300 to 400 repeats
-- step 4 of w2. w4 350 to 360 overlaps w3, and has no steps.
-- rank 1: v1 500 to 600 and v0, imported later, 450 to 500: another time; neither has steps.
-- rank 2: x1 and x2 of 0 to 10 and 20 to 30, on a clock of their own: unknown.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
SELECT id, 1, name, rank, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', base_ns, 0, start_ts, end_ts
FROM (VALUES
  (1, 'w1', 0, 1700000000000000000, 0, 100), (2, 'w2', 0, 1700000000000000050, 50, 150),
  (3, 'w3', 0, 1700000000000000300, 0, 100), (4, 'w4', 0, 1700000000000000300, 50, 60),
  (5, 'v1', 1, 1700000000000000500, 0, 100), (6, 'v0', 1, 1700000000000000450, 0, 50),
  (7, 'x1', 2, 0, 0, 10), (8, 'x2', 2, 0, 20, 30)
) AS v(id, name, rank, base_ns, start_ts, end_ts);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (11, 1, 9, 0, 50, 's', 1), (12, 1, 9, 50, 50, 's', 2), (21, 2, 9, 50, 50, 's', 3), (22, 2, 9, 100, 50, 's', 4),
  (31, 3, 9, 0, 50, 's', 4), (32, 3, 9, 50, 50, 's', 5), (51, 5, 9, 0, 50, 's', NULL), (61, 6, 9, 0, 50, 's', NULL);
