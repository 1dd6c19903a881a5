-- Rank 1 has three matches with rank 0, of which two are doubtful; rank 2 has a certain one.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES
  (1, 1, 't1', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 1000),
  (2, 1, 't2', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 1000),
  (3, 1, 't3', 2, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 1000);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (1, 1, 0, 10, 5, 'nccl', 'device', 'allreduce'),
  (2, 1, 0, 20, 5, 'nccl', 'device', 'allreduce'),
  (3, 1, 0, 30, 5, 'nccl', 'device', 'allreduce'),
  (11, 2, 0, 110, 5, 'nccl', 'device', 'allreduce'),
  (12, 2, 0, 120, 5, 'nccl', 'device', 'allreduce'),
  (13, 2, 0, 130, 5, 'nccl', 'device', 'allreduce'),
  (21, 3, 0, 210, 5, 'nccl', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (-1, NULL, 1, 1, 11, 'collective_peer', 'order', 0.5, 'default', 'q', 1),
  (-2, NULL, 1, 2, 12, 'collective_peer', 'order', 0.5, 'default', 'q', 1),
  (-3, NULL, 1, 3, 13, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-4, NULL, 1, 1, 21, 'collective_peer', 'sequence', 1, 'default', 'q', 1);
