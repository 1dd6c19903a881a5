-- input: shared/path_over_threads_and_streams.sql
-- parameters: trace_id=1
-- The loss (22 to 28, with an annotation inside) follows the forward pass on its thread, so the backward
-- pass goes on after it. The annotation around the wait for the backward pass (29 to 78) is no activity.
-- A hook (72 to 76) follows the backward pass on its thread. Annotations of devices say nothing.
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (20, 1, 1, 22, 6, 'user_annotation', 'loss', 1, 1),
  (21, 1, 1, 24, 4, 'user_annotation', 'scale', 2, 20),
  (22, 1, 1, 29, 49, 'user_annotation', 'backward', 1, 1),
  (23, 1, 2, 72, 4, 'user_annotation', 'hook', 0, NULL),
  (24, 1, 3, 25, 4, 'gpu_user_annotation', 'loss', 0, NULL);
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side) VALUES
  (1, 1, 1, 0, 100, 'ProfilerStep#1', 'host'), (20, 1, 1, 22, 6, 'loss', 'host'),
  (21, 1, 1, 24, 4, 'scale', 'host'), (22, 1, 1, 29, 49, 'backward', 'host'),
  (23, 1, 2, 72, 4, 'hook', 'host'), (24, 1, 3, 25, 4, 'loss', 'device');
