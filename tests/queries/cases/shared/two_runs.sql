INSERT INTO run (id, name, kind, created_at)
VALUES (1, 'before', 'measured', TIMESTAMP '2024-01-01'), (2, 'after', 'measured', TIMESTAMP '2024-01-02');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 2, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-02', 0, 0);
INSERT INTO process (id, trace_id, pid) VALUES (10, 1, 1), (20, 2, 1);
INSERT INTO track (id, trace_id, kind, process_id) VALUES (11, 1, 'thread', 10), (21, 2, 'thread', 20);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES
  (101, 1, 11, 0, 100, 's', 5), (102, 1, 11, 100, 100, 's', 6),
  (201, 2, 21, 0, 110, 's', 7), (202, 2, 21, 110, 130, 's', 8);
-- Operators: mm and add in each step; after has one more call of add outside of steps
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES
  (111, 1, 11, 10, 20, 'cpu_op', 'mm', 1, NULL), (112, 1, 11, 110, 40, 'cpu_op', 'mm', 1, NULL),
  (113, 1, 11, 15, 5, 'cpu_op', 'add', 2, 111), (114, 1, 11, 115, 5, 'cpu_op', 'add', 2, 112),
  (211, 2, 21, 10, 20, 'cpu_op', 'mm', 1, NULL), (212, 2, 21, 120, 60, 'cpu_op', 'mm', 1, NULL),
  (213, 2, 21, 15, 6, 'cpu_op', 'add', 2, 211), (214, 2, 21, 125, 6, 'cpu_op', 'add', 2, 212),
  (215, 2, 21, 300, 9, 'cpu_op', 'add', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice;
-- Kernels: k is on both sides; add called old before and new after; gone and fresh have no launch
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class)
VALUES
  (131, 1, 12, 20, 10, 'k', 'kernel', 'compute'), (132, 1, 12, 120, 20, 'k', 'kernel', 'compute'),
  (133, 1, 12, 40, 5, 'old', 'kernel', 'compute'), (134, 1, 12, 150, 5, 'old', 'kernel', 'compute'),
  (135, 1, 12, 60, 7, 'gone', 'kernel', 'communication'), (136, 1, 12, 70, 9, 'w', 'sync', 'sync'),
  (231, 2, 22, 20, 10, 'k', 'kernel', 'compute'), (232, 2, 22, 130, 30, 'k', 'kernel', 'compute'),
  (233, 2, 22, 40, 6, 'new', 'kernel', 'compute'), (234, 2, 22, 170, 6, 'new', 'kernel', 'compute'),
  (235, 2, 22, 400, -1, 'fresh', 'memset', 'memory');
-- A launch for each, in the operator
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT to_id * 10 + 1, t, t, to_id + 1000, to_id, 'launch', 'r', 1, 'default', 'q', 1
FROM (VALUES (131, 1), (132, 1), (133, 1), (134, 1), (231, 2), (232, 2), (233, 2), (234, 2)) AS v(to_id, t)
UNION ALL
SELECT to_id * 10 + 2, t, t, op_id, to_id + 1000, 'op_launch', 'r', 1, 'default', 'q', 1
FROM (VALUES (131, 1, 111), (132, 1, 112), (133, 1, 113), (134, 1, 114), (231, 2, 211),
  (232, 2, 212), (233, 2, 213), (234, 2, 214)) AS v(to_id, t, op_id)
UNION ALL
SELECT to_id * 10 + 3, t, t, step_id, to_id, 'step', 'r', 1, 'default', 'q', 1
FROM (VALUES (131, 1, 101), (132, 1, 102), (133, 1, 101), (134, 1, 102), (231, 2, 201),
  (232, 2, 202), (233, 2, 201), (234, 2, 202)) AS v(to_id, t, step_id);
