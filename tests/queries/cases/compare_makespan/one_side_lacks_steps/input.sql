-- parameters: a=whole b=part
-- Side b lacks the annotation of the second step, whose work is earlier work for the third, and
-- recorded work before its first step, so that the first steps are not compared.
INSERT INTO run (id, name, kind, created_at) VALUES
  (1, 'whole', 'measured', TIMESTAMP '2024-01-01'), (2, 'part', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 2, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (11, 1, 9, 0, 100, 's', 3), (12, 1, 9, 110, 90, 's', 4), (13, 1, 9, 210, 80, 's', 5),
  (14, 1, 9, 400, 70, 's', 6),
  (15, 2, 9, 1000, 100, 's', 3), (16, 2, 9, 1210, 80, 's', 5), (17, 2, 9, 1400, 70, 's', 6);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (21, 1, 8, 20, 130, 'k', 'kernel', 'compute'), (22, 1, 8, 150, 110, 'k', 'kernel', 'compute'),
  (23, 1, 8, 260, 120, 'k', 'kernel', 'compute'), (24, 1, 8, 410, 40, 'k', 'kernel', 'compute'),
  (31, 2, 8, 900, 105, 'k', 'kernel', 'compute'), (32, 2, 8, 1020, 130, 'k', 'kernel', 'compute'),
  (33, 2, 8, 1150, 110, 'k', 'kernel', 'compute'), (34, 2, 8, 1260, 120, 'k', 'kernel', 'compute'),
  (35, 2, 8, 1410, 40, 'k', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 11, 21, 'step', 'r', 1, 'default', 'q', 1), (2, 1, 1, 12, 22, 'step', 'r', 1, 'default', 'q', 1),
  (3, 1, 1, 13, 23, 'step', 'r', 1, 'default', 'q', 1), (4, 1, 1, 14, 24, 'step', 'r', 1, 'default', 'q', 1),
  (5, 2, 2, 15, 32, 'step', 'r', 1, 'default', 'q', 1), (6, 2, 2, 16, 34, 'step', 'r', 1, 'default', 'q', 1),
  (7, 2, 2, 17, 35, 'step', 'r', 1, 'default', 'q', 1);
