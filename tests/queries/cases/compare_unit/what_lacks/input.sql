-- parameters: a=full b=poor
-- Before, rank 0 has two steps with device work of known calls, and rank 1 has steps only. After,
-- rank 0 has one step; half of its device work is in no step, and no calls were recorded.
INSERT INTO run (id, name, kind, created_at) VALUES
  (1, 'full', 'measured', TIMESTAMP '2024-01-01'), (2, 'poor', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 1, 'u', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (3, 2, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (11, 1, 9, 0, 100, 's', 3), (12, 1, 9, 100, 100, 's', 4), (21, 2, 9, 0, 100, 's', 3),
  (31, 3, 9, 0, 100, 's', 3);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (13, 1, 9, 5, 10, 'mm'), (33, 3, 9, 5, 10, 'mm');
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (14, 1, 8, 20, 10, 'k', 'kernel', 'compute'), (15, 1, 8, 120, 10, 'k', 'kernel', 'compute'),
  (34, 3, 8, 20, 10, 'k', 'kernel', 'compute'), (35, 3, 8, 120, 10, 'k', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 11, 14, 'step', 'launch', 1, 'default', 'q', 1),
  (2, 1, 1, 12, 15, 'step', 'launch', 1, 'default', 'q', 1),
  (3, 1, 1, 16, 14, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 17, 15, 'launch', 'correlation', 1, 'default', 'q', 1),
  (5, 3, 2, 31, 34, 'step', 'time', 0.5, 'default', 'q', 1);
