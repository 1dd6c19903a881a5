-- input: shared/slow_steps.sql
-- Idle before the calls: 40-132, 150-250, 270-290. An annotation from 275 to 285, with another
-- inside, is in one Python function; a shorter one of the same name, 34 to 38, is in another one, while
-- devices are busy.
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (30, 1, 1, 272, 16, 'python_function', 'train.py(9): step', 1, 3),
  (31, 1, 1, 275, 10, 'user_annotation', 'loss', 2, 30),
  (32, 1, 1, 276, 8, 'user_annotation', 'scale', 3, 31),
  (33, 1, 1, 33, 6, 'python_function', 'train.py(5): warm', 1, 1),
  (34, 1, 1, 34, 4, 'user_annotation', 'loss', 2, 33);
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side)
SELECT id, trace_id, track_id, ts, dur, name, 'host' FROM slice WHERE id IN (31, 32, 34);
INSERT INTO python_call (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE id IN (30, 33);
