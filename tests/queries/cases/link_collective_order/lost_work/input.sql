-- parameters: run_id=1
-- Three ranks call the same collectives, and the clocks of ranks 1 and 2 are 7 s ahead. The kernels of
-- rank 0 are lost; those of the others meet, and so do the calls (121 to 139) that launched them.
-- Calls of rank 0 (111 to 119) belong to no kernel.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't1', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (2, 1, 't2', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 7000001000, 0),
  (3, 1, 't3', 2, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 7000001000, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name)
VALUES
  (21, 2, 0, 0, 2000000, 'nccl', 'device', 'allgather', '0'),
  (22, 2, 0, 10000000, 2000000, 'nccl', 'device', 'allgather', '0'),
  (23, 2, 0, 25000000, 2000000, 'nccl', 'device', 'allgather', '0'),
  (24, 2, 0, 45000000, 2000000, 'nccl', 'device', 'allgather', '0'),
  (25, 2, 0, 50000000, 2000000, 'nccl', 'device', 'allgather', '0'),
  (26, 2, 0, 83000000, 2000000, 'nccl', 'device', 'allgather', '0'),
  (27, 2, 0, 91000000, 2000000, 'nccl', 'device', 'allgather', '0'),
  (28, 2, 0, 128000000, 2000000, 'nccl', 'device', 'allgather', '0'),
  (29, 2, 0, 139000000, 2000000, 'nccl', 'device', 'allgather', '0'),
  (31, 3, 0, 0, 2001000, 'nccl', 'device', 'allgather', '0'),
  (32, 3, 0, 10000000, 2001000, 'nccl', 'device', 'allgather', '0'),
  (33, 3, 0, 25000000, 2001000, 'nccl', 'device', 'allgather', '0'),
  (34, 3, 0, 45000000, 2001000, 'nccl', 'device', 'allgather', '0'),
  (35, 3, 0, 50000000, 2001000, 'nccl', 'device', 'allgather', '0'),
  (36, 3, 0, 83000000, 2001000, 'nccl', 'device', 'allgather', '0'),
  (37, 3, 0, 91000000, 2001000, 'nccl', 'device', 'allgather', '0'),
  (38, 3, 0, 128000000, 2001000, 'nccl', 'device', 'allgather', '0'),
  (39, 3, 0, 139000000, 2001000, 'nccl', 'device', 'allgather', '0');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name)
SELECT slice_id + 100, trace_id, 1, ts - 100000, 20000, 'record_param_comms', 'host', 'allgather', '0'
FROM collective
UNION ALL
SELECT slice_id + 90, 1, 1, ts - 100000, 20000, 'record_param_comms', 'host', 'allgather', '0'
FROM collective WHERE trace_id = 2;
-- Call, launch and kernel.
INSERT INTO link (id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
SELECT slice_id, 1, slice_id + 100, slice_id + 200, 'op_launch', 'containment', 1, 'default', 'link_op_launch', 3
FROM collective WHERE side = 'device'
UNION ALL
SELECT slice_id + 100, 1, slice_id + 200, slice_id, 'launch', 'correlation', 1, 'default', 'link_launch', 1
FROM collective WHERE side = 'device';
