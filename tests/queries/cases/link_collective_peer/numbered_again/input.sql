-- parameters: run_id=1
-- Both ranks are recorded twice, and the numbers begin again in the second recording: its operations
-- are matched with each other. Number 7 is in one recording of each rank, and certain.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES
  (1, 1, 't1', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857026000000000, 0, 0, 1000),
  (2, 1, 't2', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857027000000000, 0, 0, 1000),
  (3, 1, 't3', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857026000000000, 0, 0, 1000),
  (4, 1, 't4', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857027000000000, 0, 0, 1000);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name,
  group_size, group_ranks_json, sequence_number)
VALUES
  (1, 1, 0, 0, 5, 'nccl', 'device', 'allreduce', '7', 2, '[0, 1]', 5),
  (2, 1, 0, 10, 5, 'nccl', 'device', 'allreduce', '7', 2, '[0, 1]', 6),
  (3, 2, 0, 0, 5, 'nccl', 'device', 'allreduce', '7', 2, '[0, 1]', 5),
  (4, 2, 0, 10, 5, 'nccl', 'device', 'allreduce', '7', 2, '[0, 1]', 6),
  (5, 2, 0, 20, 5, 'nccl', 'device', 'allreduce', '7', 2, '[0, 1]', 7),
  (11, 3, 0, 0, 5, 'nccl', 'device', 'allreduce', '7', 2, '[0, 1]', 5),
  (12, 3, 0, 10, 5, 'nccl', 'device', 'allreduce', '7', 2, '[0, 1]', 6),
  (13, 4, 0, 0, 5, 'nccl', 'device', 'allreduce', '7', 2, '[0, 1]', 5),
  (14, 4, 0, 10, 5, 'nccl', 'device', 'allreduce', '7', 2, '[0, 1]', 6),
  (15, 4, 0, 20, 5, 'nccl', 'device', 'allreduce', '7', 2, '[0, 1]', 7);
