-- Work 21 has every cause; 22 has only a call; 23 has no call but a step; 24 is a wait, no work.
-- Links of another set do not count.
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, kind, class)
VALUES (21, 1, 0, 10, 7, 100, 10, 'kernel', 'compute'),
  (22, 1, 0, 10, 8, 105, -1, 'memcpy', 'memory'),
  (23, 1, 0, NULL, NULL, 120, 5, 'kernel', 'communication'),
  (24, 1, 0, 10, 7, 0, 900, 'sync', 'sync');
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, number) VALUES (4, 1, 1, 0, 100, 7);
INSERT INTO link VALUES
  (1, 1, 1, 1, 21, 'launch', 'correlation', 1, 'default', 'link_launch', 1),
  (2, 1, 1, 2, 1, 'op_launch', 'containment', 1, 'default', 'link_op_launch', 1),
  (3, 1, 1, 4, 21, 'step', 'launch', 1, 'default', 'link_step', 1),
  (4, 1, 1, 5, 21, 'annotation', 'containment', 1, 'default', 'link_annotation', 1),
  (5, 1, 1, 3, 22, 'launch', 'correlation', 1, 'default', 'link_launch', 1),
  (6, 1, 1, 4, 23, 'step', 'time', 0.5, 'default', 'link_step', 1),
  (7, 1, 1, 9, 23, 'launch', 'correlation', 1, 'other', 'elsewhere', 1),
  (8, 1, 1, 3, 24, 'sync_call', 'correlation', 1, 'default', 'link_launch', 1);
