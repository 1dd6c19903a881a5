-- parameters: run_id=1
-- As in recv_before_send, with the calls (100 more) that launched the kernels. After the last all_reduce
-- rank 1 sends twice to rank 0. The second kernel of rank 1 and the first of rank 0 are lost: the call
-- of 61 is the first one, that of 52 the second.
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
  (5, 1, 0, 50000000, 2000000, 'nccl', 'device', 'allreduce'),
  (6, 1, 0, 83000000, 2000000, 'nccl', 'device', 'allreduce'),
  (7, 1, 0, 91000000, 2000000, 'nccl', 'device', 'allreduce'),
  (8, 1, 0, 128000000, 2000000, 'nccl', 'device', 'allreduce'),
  (9, 1, 0, 139000000, 2000000, 'nccl', 'device', 'allreduce'),
  (21, 2, 0, 10000000, 2001000, 'nccl', 'device', 'allreduce'),
  (22, 2, 0, 26000000, 1001000, 'nccl', 'device', 'allreduce'),
  (23, 2, 0, 45000000, 2001000, 'nccl', 'device', 'allreduce'),
  (24, 2, 0, 51000000, 1001000, 'nccl', 'device', 'allreduce'),
  (25, 2, 0, 83000000, 2001000, 'nccl', 'device', 'allreduce'),
  (26, 2, 0, 92000000, 1001000, 'nccl', 'device', 'allreduce'),
  (27, 2, 0, 128000000, 2001000, 'nccl', 'device', 'allreduce'),
  (28, 2, 0, 140000000, 1001000, 'nccl', 'device', 'allreduce');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_ranks_json, peer_rank)
VALUES
  (52, 1, 0, 141700000, 100000, 'nccl', 'device', 'recv', '[0, 1]', 1),
  (61, 2, 0, 141350000, 50000, 'nccl', 'device', 'send', '[0, 1]', 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_ranks_json, peer_rank)
SELECT
  slice_id + 100, trace_id, 1, ts - 200000, 20000, 'record_param_comms', 'host', kind, group_ranks_json, peer_rank
FROM collective
UNION ALL
SELECT 151, 1, 1, 141400000, 20000, 'record_param_comms', 'host', 'recv', '[0, 1]', 1
UNION ALL
SELECT 162, 2, 1, 141300000, 20000, 'record_param_comms', 'host', 'send', '[0, 1]', 0;
-- Call, launch and kernel.
INSERT INTO link (id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
SELECT slice_id, 1, slice_id + 100, slice_id + 200, 'op_launch', 'containment', 1, 'default', 'link_op_launch', 3
FROM collective WHERE side = 'device'
UNION ALL
SELECT slice_id + 100, 1, slice_id + 200, slice_id, 'launch', 'correlation', 1, 'default', 'link_launch', 1
FROM collective WHERE side = 'device';
