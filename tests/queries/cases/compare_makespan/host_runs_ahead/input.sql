-- parameters: a=one b=one
-- The work of the first two steps is done after the next one began; the host waits in the third.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'one', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (11, 1, 9, 0, 100, 's', 3), (12, 1, 9, 110, 90, 's', 4), (13, 1, 9, 300, 80, 's', 5);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (21, 1, 8, 20, 130, 'k', 'kernel', 'compute'), (22, 1, 8, 150, 110, 'k', 'kernel', 'compute'),
  (23, 1, 8, 310, 40, 'k', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 11, 21, 'step', 'r', 1, 'default', 'q', 1), (2, 1, 1, 12, 22, 'step', 'r', 1, 'default', 'q', 1),
  (3, 1, 1, 13, 23, 'step', 'r', 1, 'default', 'q', 1);
