-- Operators a [0, 1000), and in it b [0, 500) and c [500, 1000); b launches a kernel that runs from 400
-- to 700, c one that runs from 1500 to 1900.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts, end_ts)
VALUES (1, 1, 't', 0, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0, 0, 1900);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO track (id, trace_id, kind, name) VALUES (5, 1, 'thread', 'main'), (6, 1, 'stream', 's');
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, category, depth, parent_id) VALUES
  (1, 1, 5, 0, 1000, 'a', 'cpu_op', 0, NULL),
  (2, 1, 5, 0, 500, 'b', 'cpu_op', 1, 1),
  (3, 1, 5, 500, 500, 'c', 'cpu_op', 1, 1),
  (4, 1, 5, 100, 10, 'launch', 'cuda_runtime', 2, 2),
  (5, 1, 5, 600, 10, 'launch', 'cuda_runtime', 2, 3),
  (6, 1, 6, 400, 300, 'k', 'kernel', 0, NULL),
  (7, 1, 6, 1500, 400, 'l', 'kernel', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category)
SELECT id, trace_id, track_id, ts, dur, name, category FROM slice WHERE category = 'cuda_runtime';
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
SELECT id, trace_id, track_id, 10, 7, ts, dur, name, 'kernel', 'compute'
FROM slice WHERE category = 'kernel';
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 4, 6, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 5, 7, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 2, 4, 'op_launch', 'containment', 1, 'default', 'q', 1),
  (4, 1, 1, 3, 5, 'op_launch', 'containment', 1, 'default', 'q', 1);
