-- parameters: a=one b=one
-- window: 0 200
-- The work of the only step in the time window runs after it; that of the next step does not count.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'one', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (11, 1, 9, 0, 100, 's', 3), (12, 1, 9, 300, 100, 's', 4);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (31, 1, 12, 500, 10, 'k', 'kernel', 'compute'), (32, 1, 12, 510, 10, 'k', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 21, 31, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 11, 31, 'step', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 22, 32, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 12, 32, 'step', 'correlation', 1, 'default', 'q', 1);
