-- Two operations of one operator in one step, one that never ended; a wait is no work.
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class)
VALUES (1, 1, 0, 5, 10, NULL, 'kernel', 'compute'), (2, 1, 0, 5, -1, NULL, 'kernel', 'compute'),
  (3, 1, 0, 5, 7, 'w', 'sync', 'sync');
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES (20, 1, 0, 0, 9, 'mm');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT n, 1, 1, f, t, k, 'r', 1, 'default', 'q', 1
FROM (VALUES (1, 10, 1, 'launch'), (2, 20, 10, 'op_launch'), (3, 11, 2, 'launch'),
  (4, 20, 11, 'op_launch'), (5, 30, 1, 'step'), (6, 30, 2, 'step')) AS v(n, f, t, k);
