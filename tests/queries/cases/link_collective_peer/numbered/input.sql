-- parameters: run_id=1
-- Trace 2 is rank 0. Rank 1 was recorded from number 6 on; rank 2 has number 6 twice. Rank 3 is in
-- another group of the same name.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't1', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 1, 't2', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (3, 1, 't3', 2, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (4, 1, 't4', 3, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name,
  group_size, group_ranks_json, sequence_number)
VALUES
  (21, 2, 0, 0, 5, 'nccl', 'device', 'allreduce', '7', 3, '[0, 1, 2]', 5),
  (22, 2, 0, 10, 5, 'nccl', 'device', 'allreduce', '7', 3, '[0, 1, 2]', 6),
  (23, 2, 0, 20, 5, 'nccl', 'device', 'allreduce', '7', 3, '[0, 1, 2]', 7),
  (11, 1, 0, 0, 5, 'nccl', 'device', 'allreduce', '7', 3, '[0, 1, 2]', 6),
  (12, 1, 0, 10, 5, 'nccl', 'device', 'allreduce', '7', 3, '[0, 1, 2]', 7),
  (31, 3, 0, 0, 5, 'nccl', 'device', 'allreduce', '7', 3, '[0, 1, 2]', 5),
  (32, 3, 0, 10, 5, 'nccl', 'device', 'allreduce', '7', 3, '[0, 1, 2]', 6),
  (33, 3, 0, 15, 5, 'nccl', 'device', 'allreduce', '7', 3, '[0, 1, 2]', 6),
  (34, 3, 0, 20, 5, 'nccl', 'device', 'allreduce', '7', 3, '[0, 1, 2]', 7),
  (41, 4, 0, 0, 5, 'nccl', 'device', 'allreduce', '7', 2, '[3, 4]', 5);
