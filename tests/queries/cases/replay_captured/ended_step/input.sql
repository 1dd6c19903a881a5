-- input: shared/replay_timeline.sql
-- A step from 7 to 9, in step 3, contains no launch.
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (8, 1, 1, 7, 2, 'user_annotation', 'ProfilerStep#2', 2, 2);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES (8, 1, 1, 7, 2, 'ProfilerStep#2', 2);
