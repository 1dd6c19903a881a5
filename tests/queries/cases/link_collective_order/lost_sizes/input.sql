-- parameters: run_id=1
-- As in recv_before_send, with sizes. After the last all_reduce rank 1 sends 4 KiB and 64 KiB to rank 0;
-- the second send and the first recv are lost, and what is left (61, 52) differs in size. After the
-- one at 91 ms it sends both, too, and only the first recv is lost: 53 is of the send 64.
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
INSERT INTO collective
  (slice_id, trace_id, track_id, ts, dur, name, side, kind, group_ranks_json, peer_rank, input_bytes)
VALUES
  (52, 1, 0, 141700000, 100000, 'nccl', 'device', 'recv', '[0, 1]', 1, 65536),
  (53, 1, 0, 96050000, 100000, 'nccl', 'device', 'recv', '[0, 1]', 1, 65536),
  (61, 2, 0, 141350000, 50000, 'nccl', 'device', 'send', '[0, 1]', 0, 4096),
  (63, 2, 0, 95000000, 100000, 'nccl', 'device', 'send', '[0, 1]', 0, 4096),
  (64, 2, 0, 96000000, 100000, 'nccl', 'device', 'send', '[0, 1]', 0, 65536);
