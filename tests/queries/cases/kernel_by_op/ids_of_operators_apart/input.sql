-- The ids of the operators are not one range: an annotation lies between them. Operator a [0, 100) is around
-- annotation n [10, 90), which is around operator b [20, 80), which launches kernel k [30, 40). An operator
-- without a name [200, 300) launches k [250, 260); k [400, 420) is launched outside operators: one row for both.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES (1, 1, 't', 0, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 500);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO track (id, trace_id, kind, name) VALUES (5, 1, 'thread', 'main'), (6, 1, 'stream', 's');
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, category, depth, parent_id) VALUES
  (1, 1, 5, 0, 100, 'a', 'cpu_op', 0, NULL),
  (2, 1, 5, 10, 80, 'n', 'user_annotation', 1, 1),
  (3, 1, 5, 20, 60, 'b', 'cpu_op', 2, 2),
  (4, 1, 5, 25, 2, 'launch', 'cuda_runtime', 3, 3),
  (7, 1, 5, 200, 100, NULL, 'cpu_op', 0, NULL),
  (8, 1, 5, 210, 2, 'launch', 'cuda_runtime', 1, 7),
  (9, 1, 5, 390, 2, 'launch', 'cuda_runtime', 0, NULL),
  (11, 1, 6, 30, 10, 'k', 'kernel', 0, NULL),
  (12, 1, 6, 250, 10, 'k', 'kernel', 0, NULL),
  (13, 1, 6, 400, 20, 'k', 'kernel', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category)
SELECT id, trace_id, track_id, ts, dur, name, category FROM slice WHERE category = 'cuda_runtime';
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
SELECT id, trace_id, track_id, 10, 7, ts, dur, name, 'kernel', 'compute'
FROM slice WHERE category = 'kernel';
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 4, 11, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 8, 12, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 9, 13, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 3, 4, 'op_launch', 'containment', 1, 'default', 'q', 1),
  (5, 1, 1, 7, 8, 'op_launch', 'containment', 1, 'default', 'q', 1);
