-- parameters: run_id=1
-- Ranks 0 and 1 have all_reduces at irregular times, of which rank 1 lacks the first; its clock is 7 s
-- ahead, and only one difference fits. Ranks 0 and 2 have six at equal distances, and clocks that have
-- nothing in common: any shift fits. That of equal order is given, and it is doubtful.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES
  (1, 1, 't1', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1000, 0, 0, 1000000000),
  (2, 1, 't2', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 7000001000, 0, 0, 1000000000),
  (3, 1, 't3', 2, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 5000, 0, 0, 1000000000);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_ranks_json)
VALUES
  (100, 1, 0, 0, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (101, 1, 0, 10000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (102, 1, 0, 25000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (103, 1, 0, 45000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (104, 1, 0, 50000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (105, 1, 0, 83000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (106, 1, 0, 91000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (107, 1, 0, 128000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (108, 1, 0, 139000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (201, 2, 0, 10000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (202, 2, 0, 25000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (203, 2, 0, 45000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (204, 2, 0, 50000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (205, 2, 0, 83000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (206, 2, 0, 91000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (207, 2, 0, 128000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (208, 2, 0, 139000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (300, 1, 0, 200000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]'),
  (301, 1, 0, 210000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]'),
  (302, 1, 0, 220000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]'),
  (303, 1, 0, 230000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]'),
  (304, 1, 0, 240000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]'),
  (305, 1, 0, 250000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]'),
  (400, 3, 0, 0, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]'),
  (401, 3, 0, 10000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]'),
  (402, 3, 0, 20000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]'),
  (403, 3, 0, 30000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]'),
  (404, 3, 0, 40000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]'),
  (405, 3, 0, 50000000, 2000000, 'nccl', 'device', 'allreduce', '[0, 2]');
