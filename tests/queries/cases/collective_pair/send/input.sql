-- An all_reduce of both ranks, a send of rank 1 that rank 0 receives, and two calls that only
-- enqueue, which bound nothing.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 2000, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
VALUES
  (1, 1, 0, 0, 10, 'nccl', 'device', 'allreduce'),
  (2, 1, 0, 20, 10, 'nccl', 'device', 'recv'),
  (3, 1, 0, 40, 10, 'record_param_comms', 'host', 'allreduce'),
  (11, 2, 0, 5, 5, 'nccl', 'device', 'allreduce'),
  (12, 2, 0, 20, 3, 'nccl', 'device', 'send'),
  (13, 2, 0, 40, 10, 'record_param_comms', 'host', 'allreduce');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (-1, NULL, 1, 1, 11, 'collective_peer', 'order', 0.9, 'default', 'q', 1),
  (-2, NULL, 1, 2, 12, 'collective_peer', 'order', 0.8, 'default', 'q', 1),
  (-3, NULL, 1, 3, 13, 'collective_peer', 'order', 0.8, 'default', 'q', 1),
  (-4, NULL, 1, 3, 13, 'collective_peer', 'order', 0.8, 'other', 'q', 1);
