-- Ranks 0 and 1: two all_reduce bound the difference to -1002..-992 and -1000..-985; the first never
-- ended on rank 1, so it is empty there. What rank 0 sends at 1100 is received until 2098, so at
-- least -998 is added. A link of little confidence would contradict and is not heard.
-- Ranks 0 and 2: the second all_reduce begins on rank 2 after it ended on rank 0.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 2000, 0),
  (3, 1, 'c', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 3000, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (1, 1, 0, 10, 10, 'nccl', 'device', 'allreduce'),
  (2, 1, 0, 30, 10, 'nccl', 'device', 'allreduce'),
  (3, 1, 0, 100, 20, 'nccl', 'device', 'send'),
  (4, 1, 0, 200, 1, 'nccl', 'device', 'allreduce'),
  (11, 2, 0, 12, -1, 'nccl', 'device', 'allreduce'),
  (12, 2, 0, 25, 5, 'nccl', 'device', 'allreduce'),
  (13, 2, 0, 90, 8, 'nccl', 'device', 'recv'),
  (14, 2, 0, 300, 1, 'nccl', 'device', 'allreduce'),
  (21, 3, 0, 10, 10, 'nccl', 'device', 'allreduce'),
  (22, 3, 0, 51, 5, 'nccl', 'device', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (-1, NULL, 1, 1, 11, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-2, NULL, 1, 2, 12, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-3, NULL, 1, 3, 13, 'collective_peer', 'order', 0.8, 'default', 'q', 1),
  (-4, NULL, 1, 4, 14, 'collective_peer', 'order', 0.5, 'default', 'q', 1),
  (-5, NULL, 1, 1, 21, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-6, NULL, 1, 2, 22, 'collective_peer', 'order', 0.9, 'default', 'q', 1);
