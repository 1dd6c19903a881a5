-- Four ranks; that of rank 2 has a clock that drifts, that of rank 3 has no offset.
-- 1: an all_reduce of ranks 0, 1 and 2, to which rank 1 comes last, 10 ns after rank 2;
-- 2: a broadcast; 3: an all_reduce of ranks 0 and 3, which cannot be compared;
-- 4: an all_reduce to which ranks 0 and 1 come together; 5: one that rank 0 alone recorded.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1000, 0, 10),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 2000, 0, 20),
  (3, 1, 'c', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 3000, 0, 30),
  (4, 1, 'd', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 40);
INSERT INTO clock (id, trace_id, name, offset_ns, drift, uncertainty_ns, method)
VALUES (10, 1, 'host', 0, NULL, 0, 'reference'),
  (20, 2, 'host', -1000, NULL, 5, 'collective'),
  (30, 3, 'host', -2000, 0.1, 2, 'manual'),
  (40, 4, 'host', NULL, NULL, NULL, NULL);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (1, 1, 0, 100, 50, 'nccl', 'device', 'allreduce'),
  (11, 2, 0, 120, 35, 'nccl', 'device', 'allreduce'),
  (21, 3, 0, 100, 30, 'nccl', 'device', 'allreduce'),
  (2, 1, 0, 200, 10, 'nccl', 'device', 'broadcast'),
  (12, 2, 0, 190, 10, 'nccl', 'device', 'broadcast'),
  (3, 1, 0, 300, 10, 'nccl', 'device', 'allreduce'),
  (31, 4, 0, 5, 10, 'nccl', 'device', 'allreduce'),
  (4, 1, 0, 400, 20, 'nccl', 'device', 'allreduce'),
  (13, 2, 0, 400, 21, 'nccl', 'device', 'allreduce'),
  (5, 1, 0, 500, 10, 'nccl', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (-1, NULL, 1, 1, 11, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-2, NULL, 1, 1, 21, 'collective_peer', 'order', 0.7, 'default', 'q', 1),
  (-3, NULL, 1, 2, 12, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-4, NULL, 1, 3, 31, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-5, NULL, 1, 4, 13, 'collective_peer', 'order', 0.9, 'default', 'q', 1);
