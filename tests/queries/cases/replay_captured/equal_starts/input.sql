-- input: shared/replay_timeline.sql
-- A step from 5 to 15, which begins with step 3, would contain the first launch only.
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (8, 1, 1, 5, 10, 'user_annotation', 'ProfilerStep#2', 2, 2);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES (8, 1, 1, 5, 10, 'ProfilerStep#2', 2);
