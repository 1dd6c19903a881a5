-- parameters: run_id=1
-- Each rank has two recordings on its clock, 1 s apart. The second of rank 0 is on the clock of the
-- first. The first of rank 1 is bounded by one all_reduce to -110..-92, ends -100 apart; nothing links
-- its second one, which is less certain by the drift of 100 ppm over both, 1,000,001,000 ns.
-- The first of rank 2 is not linked, but its second is with the second of rank 0, like rank 1.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES
  (1, 1, 't1', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857026000000000, 0, 0, 1000),
  (2, 1, 't2', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857027000000000, 0, 0, 1000),
  (3, 1, 't3', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857026000000000, 0, 0, 1000),
  (4, 1, 't4', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857027000000000, 0, 0, 1000),
  (5, 1, 't5', 2, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857026000000000, 0, 0, 1000),
  (6, 1, 't6', 2, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857027000000000, 0, 0, 1000);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (4294967296, 1, 0, 100, 10, 'nccl', 'device', 'allreduce'),
  (8589934592, 2, 0, 100, 10, 'nccl', 'device', 'allreduce'),
  (12884901888, 3, 0, 202, 8, 'nccl', 'device', 'allreduce'),
  (25769803776, 6, 0, 202, 8, 'nccl', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (-1, NULL, 1, 4294967296, 12884901888, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-2, NULL, 1, 8589934592, 25769803776, 'collective_peer', 'order', 0.9, 'default', 'q', 1);
