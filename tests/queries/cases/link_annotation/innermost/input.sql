-- parameters: trace_id=1
-- Step 1 holds range 2, which holds range 3 and operator 4. Call 11 lies in 4 in 3, call 12 in 2 alone,
-- call 13 in the step alone, call 14 in nothing. 25 is a wait, 26 has no call; range 5 is the device's.
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
VALUES (1, 1, 10, 0, 100, 'user_annotation', 'ProfilerStep#1', 0, NULL),
  (2, 1, 10, 5, 80, 'user_annotation', 'forward', 1, 1),
  (3, 1, 10, 10, 20, 'user_annotation', 'attention', 2, 2), (4, 1, 10, 12, 9, 'cpu_op', 'o', 3, 3),
  (5, 1, 20, 13, 90, 'gpu_user_annotation', 'forward', 0, NULL),
  (11, 1, 10, 13, 2, 'cuda_runtime', 'l', 4, 4), (12, 1, 10, 50, 2, 'cuda_runtime', 'l', 2, 2),
  (13, 1, 10, 90, 2, 'cuda_runtime', 'l', 1, 1), (14, 1, 10, 190, 2, 'cuda_runtime', 'l', 0, NULL);
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side)
SELECT id, trace_id, track_id, ts, dur, name, CASE WHEN id = 5 THEN 'device' ELSE 'host' END
FROM slice WHERE category LIKE '%annotation';
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur)
SELECT id, trace_id, track_id, ts, dur FROM slice WHERE category = 'cuda_runtime';
INSERT INTO step (slice_id, trace_id, track_id, ts, dur) VALUES (1, 1, 10, 0, 100);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class)
SELECT id, 1, 20, id, 1, CASE WHEN id = 25 THEN 'sync' ELSE 'kernel' END, 'compute'
FROM unnest([20, 21, 22, 23, 24, 25, 26]) AS t(id);
INSERT INTO link VALUES
  (1, 1, 1, 11, 20, 'launch', 'correlation', 1, 'default', 'l', 1),
  (2, 1, 1, 11, 21, 'launch', 'correlation', 1, 'default', 'l', 1),
  (3, 1, 1, 12, 22, 'launch', 'correlation', 0.9, 'default', 'l', 1),
  (4, 1, 1, 13, 23, 'launch', 'correlation', 1, 'default', 'l', 1),
  (5, 1, 1, 14, 24, 'launch', 'correlation', 1, 'default', 'l', 1),
  (6, 1, 1, 11, 25, 'sync_call', 'correlation', 1, 'default', 'l', 1);
