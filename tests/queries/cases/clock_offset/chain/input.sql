-- parameters: run_id=1
-- Trace 3 is rank 0. Rank 1 shares a collective with it (-1008..-992, ends -998 apart), rank 2 only
-- with rank 1 (-3009..-2995, ends -2999 apart), rank 3 with none. Of the two that rank 4 shares with
-- rank 0 one wants at least 1005 to be added and the other at most 910.
-- A graph of rank 0 is on no clock. Each pair adds 1 ns for times that are rounded.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't1', 2, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 5000, 0),
  (2, 1, 't2', 1, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 2000, 0),
  (3, 1, 't3', 0, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (4, 1, 't4', 3, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (5, 1, 't5', 4, NULL, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (1, 3, 0, 10, 10, 'nccl', 'device', 'allreduce'),
  (2, 3, 0, 100, 10, 'nccl', 'device', 'allreduce'),
  (11, 2, 0, 12, 6, 'nccl', 'device', 'allreduce'),
  (12, 2, 0, 30, 10, 'nccl', 'device', 'allreduce'),
  (21, 1, 0, 35, 4, 'nccl', 'device', 'allreduce'),
  (31, 4, 0, 0, 9, 'nccl', 'device', 'allreduce'),
  (41, 5, 0, 0, 5, 'nccl', 'device', 'allreduce'),
  (42, 5, 0, 200, 5, 'nccl', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (-1, NULL, 1, 1, 11, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-2, NULL, 1, 12, 21, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-3, NULL, 1, 1, 41, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-4, NULL, 1, 2, 42, 'collective_peer', 'order', 0.9, 'default', 'q', 1);
INSERT INTO trace (id, run_id, name, rank, kind, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (9, 1, 'graph', 0, 'graph', 'execution_trace', 'execution_trace', 1, '0',
  TIMESTAMP '2024-01-01', 0, 0);
