-- parameters: trace_id=1
-- Step 1 [0, 100) and step 2 [100, 200), thread 10. Work 21 was launched in step 1 from another thread
-- and runs in step 2; 22 was launched in step 2 by the last of several calls with its id. 23 has no
-- call and begins in step 2. 24 was launched before the steps and runs in one. 25 is a wait.
-- Step 9 belongs to another trace.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns, end_ts)
SELECT id, 1, id::VARCHAR, 'kineto', 'kineto', 1, '0', TIMESTAMP '2026-01-01', 0, 0, 500
FROM unnest([1, 2]) AS t(id);
INSERT INTO process (id, trace_id) VALUES (100, 1), (101, 1);
INSERT INTO track (id, trace_id, kind, process_id)
VALUES (10, 1, 'thread', 100), (11, 1, 'thread', 100), (12, 1, 'thread', 100),
  (20, 1, 'stream', 101), (30, 2, 'thread', NULL);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, number)
VALUES (1, 1, 10, 10, 90, 7), (2, 1, 10, 100, 100, 8), (9, 2, 30, 0, 500, 1);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur)
VALUES (11, 1, 11, 90, 5), (12, 1, 10, 150, 5), (13, 1, 12, 5, 50), (14, 1, 10, 120, 70);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class)
VALUES (21, 1, 20, 120, 30, 'kernel', 'compute'), (22, 1, 20, 300, 9, 'memcpy', 'memory'),
  (23, 1, 20, 199, 9, 'memset', 'memory'), (24, 1, 20, 150, 9, 'kernel', 'compute'),
  (25, 1, 20, 120, 30, 'sync', 'sync');
INSERT INTO link VALUES
  (1, 1, 1, 11, 21, 'launch', 'correlation', 1, 'default', 'link_launch', 1),
  (2, 1, 1, 12, 22, 'launch', 'correlation', 0.9, 'default', 'link_launch', 1),
  (3, 1, 1, 13, 24, 'launch', 'correlation', 1, 'default', 'link_launch', 1),
  (4, 1, 1, 14, 25, 'sync_call', 'correlation', 1, 'default', 'link_launch', 1),
  (5, 1, 1, 11, 23, 'launch', 'guess', 1, 'other', 'elsewhere', 1);
