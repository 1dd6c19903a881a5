-- A step holds fwd, which holds an operator that holds another fwd, and opt. Each has device work of
-- its own: 20 of the inner fwd overlaps 21 of the outer one; 22 was launched by another thread during
-- the step; 23 of opt never ended; 24 has no launch, it only began during the step.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 100, 0, 100, 'user_annotation', 'ProfilerStep#3', 0, NULL),
  (2, 1, 100, 10, 50, 'user_annotation', 'fwd', 1, 1),
  (7, 1, 100, 15, 40, 'cpu_op', 'op', 2, 2),
  (3, 1, 100, 20, 30, 'user_annotation', 'fwd', 3, 7),
  (4, 1, 100, 70, 20, 'user_annotation', 'opt', 1, 1),
  (5, 1, 107, 30, 20, 'gpu_user_annotation', 'fwd', 0, NULL);
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side)
SELECT id, trace_id, track_id, ts, dur, name, CASE id WHEN 5 THEN 'device' ELSE 'host' END
FROM slice WHERE id <> 7;
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
SELECT id, trace_id, track_id, ts, dur, name, 3 FROM slice WHERE id = 1;
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (20, 1, 107, 10, 7, 30, 10, 'k', 'kernel', 'compute'),
  (21, 1, 107, 10, 7, 35, 15, 'k', 'kernel', 'compute'),
  (22, 1, 108, 10, 8, 45, 3, 'k', 'kernel', 'compute'),
  (23, 1, 107, 10, 7, 80, -1, 'k', 'kernel', 'compute'),
  (24, 1, 107, 10, 7, 60, 6, 'k', 'kernel', 'compute');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (40, 1, 100, 22, 2, 'c'), (41, 1, 100, 52, 2, 'c'), (42, 1, 101, 40, 2, 'c'), (43, 1, 100, 72, 2, 'c');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 3, 20, 'annotation', 'containment', 1, 'default', 'q', 1),
  (2, 1, 1, 2, 21, 'annotation', 'containment', 1, 'default', 'q', 1),
  (3, 1, 1, 4, 23, 'annotation', 'containment', 1, 'default', 'q', 1),
  (4, 1, 1, 1, 20, 'step', 'launch', 1, 'default', 'q', 1),
  (5, 1, 1, 1, 21, 'step', 'launch', 1, 'default', 'q', 1),
  (6, 1, 1, 1, 22, 'step', 'launch', 1, 'default', 'q', 1),
  (7, 1, 1, 1, 23, 'step', 'launch', 1, 'default', 'q', 1),
  (8, 1, 1, 1, 24, 'step', 'time', 0.5, 'default', 'q', 1),
  (9, 1, 1, 40, 20, 'launch', 'correlation', 1, 'default', 'q', 1),
  (10, 1, 1, 41, 21, 'launch', 'correlation', 1, 'default', 'q', 1),
  (11, 1, 1, 42, 22, 'launch', 'correlation', 1, 'default', 'q', 1),
  (12, 1, 1, 43, 23, 'launch', 'correlation', 1, 'default', 'q', 1);
