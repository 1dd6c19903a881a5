-- Each all_reduce of ranks 0 and 1 must begin on the one before it ends on the other. The first says that
-- 0 to 20 is added to the clock of rank 1 (10-10, 20-0), the second 180 to 220 (300-120, 320-100): nothing
-- fits, by 180 - 20. Ranks 0 and 2 bound the difference to -5..15 (10-15, 20-5), and the stored offset
-- of 40 is 25 outside, which is more than its uncertainty of 8. Rank 3 has -5..15 too and an offset 10
-- above that, within its uncertainty of 12.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES
  (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 1),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 2),
  (3, 1, 'c', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 3),
  (4, 1, 'd', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 4);
INSERT INTO clock (id, trace_id, name, offset_ns, uncertainty_ns, method)
VALUES
  (1, 1, 'host', 0, 0, 'reference'),
  (2, 2, 'host', 100, 100, 'collective contradictory'),
  (3, 3, 'host', 40, 8, 'file'),
  (4, 4, 'host', 25, 12, 'file');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (1, 1, 0, 10, 10, 'nccl', 'device', 'allreduce'),
  (2, 1, 0, 300, 20, 'nccl', 'device', 'allreduce'),
  (11, 2, 0, 0, 10, 'nccl', 'device', 'allreduce'),
  (12, 2, 0, 100, 20, 'nccl', 'device', 'allreduce'),
  (21, 3, 0, 5, 10, 'nccl', 'device', 'allreduce'),
  (31, 4, 0, 5, 10, 'nccl', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (-1, NULL, 1, 1, 11, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-2, NULL, 1, 2, 12, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-3, NULL, 1, 1, 21, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-4, NULL, 1, 1, 31, 'collective_peer', 'order', 0.9, 'default', 'q', 1);
