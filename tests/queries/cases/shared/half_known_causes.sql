-- Of four operations (the wait is none) two have a launch, one of these an operator, three a step.
-- The trace of rank 1 is empty.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 1),
  (2, 1, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 2);
INSERT INTO clock (id, trace_id, name, offset_ns, uncertainty_ns, method)
VALUES (1, 1, 'host', 0, 5, 'collective'), (2, 2, 'host', NULL, NULL, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
VALUES (1, 1, 0, 5, 10, 'a', 0), (2, 1, 0, 5, -1, 'a', 0), (3, 1, 0, 5, -2, 'a', 0);
INSERT INTO import_stat (id, trace_id, name, detail, value, unit)
VALUES (1, 1, 'unused', 'odd', 4, 'count'), (2, 1, 'unused', 'other', 2, 'count');
INSERT INTO import_problem (id, trace_id, kind, severity, count, meaning)
VALUES (1, 1, 'cut', 'error', 1, 'm'), (2, 1, 'mended', 'warning', 3, 'm'), (3, 1, 'odd', 'note', 9, 'm');
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES (1, 1, 0, 5, 10, 's', 1);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class)
VALUES
  (11, 1, 0, 5, 10, 'k', 'kernel', 'compute'),
  (12, 1, 0, 5, 10, 'k', 'kernel', 'compute'),
  (13, 1, 0, 5, 10, 'k', 'memcpy', 'memory'),
  (14, 1, 0, 5, 10, 'k', 'memset', 'memory'),
  (15, 1, 0, 5, 10, 'w', 'sync', 'sync');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 21, 11, 'launch', 'r', 1, 'default', 'q', 1),
  (2, 1, 1, 22, 12, 'launch', 'r', 1, 'default', 'q', 1),
  (3, 1, 1, 31, 21, 'op_launch', 'r', 1, 'default', 'q', 1),
  (4, 1, 1, 1, 11, 'step', 'r', 1, 'default', 'q', 1),
  (5, 1, 1, 1, 12, 'step', 'r', 1, 'default', 'q', 1),
  (6, 1, 1, 1, 13, 'step', 'r', 1, 'default', 'q', 1);
