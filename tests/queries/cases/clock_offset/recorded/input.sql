-- parameters: run_id=1
-- Three ranks that count from 1970; ranks 0 and 1 on one host. Both others may be 195 ns less or
-- 50 ns more than recorded, and end 5 ns before rank 0 does.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version,
  tw_version, imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't1', 0, 'n1', 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857026000000000, 0),
  (2, 1, 't2', 1, 'n1', 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857026000000100, 0),
  (3, 1, 't3', 2, 'n2', 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1790857026000000100, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (1, 1, 0, 0, 200, 'nccl', 'device', 'allreduce'),
  (11, 2, 0, 50, 45, 'nccl', 'device', 'allreduce'),
  (21, 3, 0, 50, 45, 'nccl', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (-1, NULL, 1, 1, 11, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-2, NULL, 1, 1, 21, 'collective_peer', 'order', 0.9, 'default', 'q', 1);
