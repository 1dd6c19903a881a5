-- Rank 2 comes last, 100 ns after rank 1 and 200 after rank 0. The clock of rank 1 is certain to 5 ns,
-- that of rank 0 has an offset of unknown uncertainty: that rank 2 is last is not sure. Without rank 0
-- it is.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns, clock_id)
VALUES
  (1, 1, 't1', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 10),
  (2, 1, 't2', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 20),
  (3, 1, 't3', 2, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 30);
INSERT INTO clock (id, trace_id, name, offset_ns, uncertainty_ns, method)
VALUES (10, 1, 'host', 0, NULL, 'first call'), (20, 2, 'host', 0, 5, 'collective'),
  (30, 3, 'host', 0, 5, 'collective');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (1, 1, 0, 0, 500, 'nccl', 'device', 'allreduce'),
  (11, 2, 0, 100, 500, 'nccl', 'device', 'allreduce'),
  (21, 3, 0, 200, 500, 'nccl', 'device', 'allreduce'),
  (12, 2, 0, 1100, 500, 'nccl', 'device', 'allreduce'),
  (22, 3, 0, 1200, 500, 'nccl', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (-1, NULL, 1, 1, 11, 'collective_peer', 'sequence', 1, 'default', 'q', 1),
  (-2, NULL, 1, 1, 21, 'collective_peer', 'sequence', 1, 'default', 'q', 1),
  (-3, NULL, 1, 12, 22, 'collective_peer', 'sequence', 1, 'default', 'q', 1);
