-- parameters: run_id=1
-- Rank 0 has two recordings since 1970, which are one sequence (trace 1). Rank 1 has two that do not
-- count from 1970: each is a sequence, the second without an equal of rank 0. Rank 2 shares a numbered
-- collective, which has no row.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES
  (1, 1, 't1', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857026000000000, 0, 0, 1000),
  (2, 1, 't2', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857027000000000, 0, 0, 1000),
  (3, 1, 't3', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 5, 0, 0, 1000),
  (4, 1, 't4', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 7, 0, 0, 1000),
  (5, 1, 't5', 2, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 5, 0, 0, 1000);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_ranks_json,
  sequence_number)
VALUES
  (1, 1, 0, 0, 5, 'nccl', 'device', 'allreduce', '[0, 1]', NULL),
  (2, 2, 0, 0, 5, 'nccl', 'device', 'allreduce', '[0, 1]', NULL),
  (11, 3, 0, 0, 5, 'nccl', 'device', 'allreduce', '[0, 1]', NULL),
  (12, 4, 0, 0, 5, 'nccl', 'device', 'allreduce', '[0, 1]', NULL),
  (3, 1, 0, 10, 5, 'nccl', 'device', 'allreduce', '[0, 2]', 1),
  (21, 5, 0, 0, 5, 'nccl', 'device', 'allreduce', '[0, 2]', 1);
