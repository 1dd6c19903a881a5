-- A thread (0 to 100, step 3 from 5 to 95) launches k1 and k2 to stream 7, waits for both, and launches
-- k3 to stream 9, which waits for k2 by an event. Work of idle streams starts 10 after its call; k2 is
-- called early enough and starts 2 after k1.
--   calls: launch 10-14 and 20-24, synchronize 30-63, launch 70-72
--   work: k1 20-50, k2 52-60, k3 80-90
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 1000, 1000);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (5, 1, 'gpu', 0);
INSERT INTO thread (id, trace_id, process_id, tid) VALUES (6, 1, 0, 42);
INSERT INTO track (id, trace_id, kind, name, thread_id, device_id, stream) VALUES
  (1, 1, 'thread', 'main', 6, NULL, NULL), (3, 1, 'stream', NULL, NULL, 5, 7), (4, 1, 'stream', NULL, NULL, 5, 9);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 1, 0, 100, 'cpu_op', 'a', 0, NULL),
  (2, 1, 1, 5, 90, 'user_annotation', 'ProfilerStep#3', 1, 1),
  (3, 1, 1, 10, 4, 'cuda_runtime', 'launch', 2, 2),
  (4, 1, 1, 20, 4, 'cuda_runtime', 'launch', 2, 2),
  (5, 1, 1, 30, 33, 'cuda_runtime', 'synchronize', 2, 2),
  (6, 1, 1, 70, 2, 'cuda_runtime', 'launch', 2, 2),
  (10, 1, 3, 20, 30, 'kernel', 'k1', 0, NULL),
  (11, 1, 3, 52, 8, 'kernel', 'k2', 0, NULL),
  (12, 1, 4, 80, 10, 'kernel', 'k3', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES (1, 1, 1, 0, 100, 'a');
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES (2, 1, 1, 5, 90, 'ProfilerStep#3', 3);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cuda_runtime';
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream)
SELECT id, trace_id, track_id, 5, ts, dur, name, 'kernel', 'compute', CASE track_id WHEN 3 THEN 7 ELSE 9 END
FROM slice WHERE category = 'kernel';
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (1, 1, 1, 3, 10, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 4, 11, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 6, 12, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 11, 5, 'wait', 'sync_record', 1, 'default', 'q', 1),
  (5, 1, 1, 11, 12, 'event_wait', 'cuda_sync', 1, 'default', 'q', 1);
