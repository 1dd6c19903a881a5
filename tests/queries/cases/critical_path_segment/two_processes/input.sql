-- parameters: step=3 range_name=null
-- Two processes on one track of a stream, as Kineto shows them. The step of the first lasts from 0 to
-- 100, its kernel from 20 to 60; meanwhile the second launches a kernel that runs until 500.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO process (id, trace_id, pid) VALUES (8, 1, 100), (9, 1, 200);
INSERT INTO track (id, trace_id, kind, process_id) VALUES
  (5, 1, 'thread', 8), (6, 1, 'thread', 9), (7, 1, 'stream', NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, category, depth, parent_id) VALUES
  (1, 1, 5, 0, 100, 'ProfilerStep#3', 'user_annotation', 0, NULL),
  (2, 1, 5, 10, 2, 'launch', 'cuda_runtime', 1, 1),
  (3, 1, 6, 50, 2, 'launch', 'cuda_runtime', 0, NULL),
  (4, 1, 7, 20, 40, 'k', 'kernel', 0, NULL),
  (10, 1, 7, 60, 440, 'l', 'kernel', 0, NULL);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES (1, 1, 5, 0, 100, 'ProfilerStep#3', 3);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category)
SELECT id, trace_id, track_id, ts, dur, name, category FROM slice WHERE category = 'cuda_runtime';
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
SELECT id, trace_id, track_id, 10, 7, ts, dur, name, 'kernel', 'compute'
FROM slice WHERE category = 'kernel';
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 2, 4, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 3, 10, 'launch', 'correlation', 1, 'default', 'q', 1);
