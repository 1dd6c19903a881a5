-- parameters: run_id=1
-- Nothing is numbered, and the clock of rank 1 is 7 s ahead. Its profiler began after the first
-- all_reduce, so the n-th of one is not the n-th of the other. The broadcast both have once.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't1', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (2, 1, 't2', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 7000001000, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (1, 1, 0, 0, 2000000, 'nccl', 'device', 'allreduce'),
  (2, 1, 0, 10000000, 2000000, 'nccl', 'device', 'allreduce'),
  (3, 1, 0, 25000000, 2000000, 'nccl', 'device', 'allreduce'),
  (4, 1, 0, 45000000, 2000000, 'nccl', 'device', 'allreduce'),
  (5, 1, 0, 60000000, 5000, 'nccl', 'device', 'broadcast'),
  (11, 2, 0, 11000000, 1001000, 'nccl', 'device', 'allreduce'),
  (12, 2, 0, 24000000, 3001000, 'nccl', 'device', 'allreduce'),
  (13, 2, 0, 46000000, 1001000, 'nccl', 'device', 'allreduce'),
  (14, 2, 0, 60000000, 8000, 'nccl', 'device', 'broadcast');
