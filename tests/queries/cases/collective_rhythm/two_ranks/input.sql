-- parameters: run_id=1
-- Pauses of 100, 100 and 500 us on rank 0, and of 110 and 500 us on rank 1: of six pairs, three are equal
-- to 20 us (100 and 110 twice, 500 and 500), none more to 80 and 320 us, and all to 1.28 ms.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't1', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 1, 't2', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_ranks_json)
VALUES
  (1, 1, 0, 0, 10000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (2, 1, 0, 100000, 10000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (3, 1, 0, 200000, 10000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (4, 1, 0, 700000, 10000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (11, 2, 0, 0, 10000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (12, 2, 0, 110000, 10000, 'nccl', 'device', 'allreduce', '[0, 1]'),
  (13, 2, 0, 610000, 10000, 'nccl', 'device', 'allreduce', '[0, 1]');
