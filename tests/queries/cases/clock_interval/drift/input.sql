-- The clock of rank 1 is 100 ns behind at its base and loses 50 ppm of its own time. Each of nine
-- all_reduce allows 10 ns more or less; together they allow no one difference.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't1', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 1, 't2', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (1, 1, 0, 100, 10, 'nccl', 'device', 'allreduce'),
  (2, 1, 0, 1000150, 10, 'nccl', 'device', 'allreduce'),
  (3, 1, 0, 2000200, 10, 'nccl', 'device', 'allreduce'),
  (4, 1, 0, 3000250, 10, 'nccl', 'device', 'allreduce'),
  (5, 1, 0, 4000300, 10, 'nccl', 'device', 'allreduce'),
  (6, 1, 0, 5000350, 10, 'nccl', 'device', 'allreduce'),
  (7, 1, 0, 6000400, 10, 'nccl', 'device', 'allreduce'),
  (8, 1, 0, 7000450, 10, 'nccl', 'device', 'allreduce'),
  (9, 1, 0, 8000500, 10, 'nccl', 'device', 'allreduce'),
  (11, 2, 0, 0, 10, 'nccl', 'device', 'allreduce'),
  (12, 2, 0, 1000000, 10, 'nccl', 'device', 'allreduce'),
  (13, 2, 0, 2000000, 10, 'nccl', 'device', 'allreduce'),
  (14, 2, 0, 3000000, 10, 'nccl', 'device', 'allreduce'),
  (15, 2, 0, 4000000, 10, 'nccl', 'device', 'allreduce'),
  (16, 2, 0, 5000000, 10, 'nccl', 'device', 'allreduce'),
  (17, 2, 0, 6000000, 10, 'nccl', 'device', 'allreduce'),
  (18, 2, 0, 7000000, 10, 'nccl', 'device', 'allreduce'),
  (19, 2, 0, 8000000, 10, 'nccl', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (-1, NULL, 1, 1, 11, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-2, NULL, 1, 2, 12, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-3, NULL, 1, 3, 13, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-4, NULL, 1, 4, 14, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-5, NULL, 1, 5, 15, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-6, NULL, 1, 6, 16, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-7, NULL, 1, 7, 17, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-8, NULL, 1, 8, 18, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-9, NULL, 1, 9, 19, 'collective_peer', 'order', 0.9, 'default', 'q', 1);
