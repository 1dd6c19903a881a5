-- parameters: run_id=1 first_new_id=60
-- Traces from 60 on are new. Rank 2 (60) is lower than ranks 3 and 4 (51, 52), which share groups with it.
-- Rank 6 (61) and rank 5 (53) share the name of a group, rank 8 (62) and rank 7 (54) that it has none.
-- Rank 11 (63) numbers no operation, rank 10 (56) did. Rank 12 is recorded again (64), so that it (57)
-- and rank 13 (58) may be paired in another way. Rank 200 (65) is higher than the 50 others of its group,
-- and rank 9 (55) shares none: these stay.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
CREATE TEMP TABLE made AS
SELECT i AS trace_id, 100 + i AS rank, '[100]' AS members, NULL AS group_name, NULL::BIGINT AS n
FROM range(1, 51) AS r(i)
UNION ALL
VALUES
  (51, 3, '[2, 3]', NULL, NULL),
  (52, 4, '[2, 4]', NULL, NULL),
  (53, 5, '[5, 6]', 'a', NULL),
  (54, 7, '[7, 8]', NULL, NULL),
  (55, 9, '[9]', NULL, NULL),
  (56, 10, '[10, 11]', 'p', 1),
  (57, 12, '[12, 13]', NULL, NULL),
  (58, 13, '[12, 13]', NULL, NULL),
  (60, 2, '[2, 3]', NULL, NULL),
  (60, 2, '[2, 4]', NULL, NULL),
  (61, 6, '[5, 6]', 'a', NULL),
  (62, 8, '[7, 8]', NULL, NULL),
  (63, 11, '[10, 11]', 'q', NULL),
  (64, 12, '[12]', NULL, NULL),
  (65, 200, '[100]', NULL, NULL);
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
SELECT DISTINCT trace_id, 1, 't' || trace_id, rank, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 5,
  0, 0, 1000
FROM made;
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_ranks_json,
  group_name, sequence_number)
SELECT (trace_id << 32) + row_number() OVER (), trace_id, 0, 0, 5, 'nccl', 'device', 'allreduce', members,
  group_name, n
FROM made;
