-- parameters: trace_id=1
-- Thread 1 has tracks 10 and 11. Range 2 of one domain [0, 50] crosses 3 of another [20, 80]; 4 on track
-- 11 starts and ends around the third call; 5 began at 90 and never ended, which counts until 140, the
-- last time of a range. Call 11 [30, 40] lies in 2 and 3, call 12 [60, 65] in 3 alone, call 13 [100, 110]
-- in 4 and 5, call 14 [150, 155] in nothing; 15 of another thread neither; 16 has the times of range 6.
INSERT INTO track (id, trace_id, kind, thread_id) VALUES
  (10, 1, 'thread', 1), (11, 1, 'async', 1), (12, 1, 'thread', 2);
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side, style) VALUES
  (2, 1, 10, 0, 50, 'a', 'host', 'push_pop'), (3, 1, 10, 20, 60, 'b', 'host', 'push_pop'),
  (4, 1, 11, 95, 45, 's', 'host', 'start_end'), (5, 1, 10, 90, -1, 'o', 'host', 'push_pop'),
  (6, 1, 12, 120, 5, 'e', 'host', 'push_pop');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur) VALUES
  (11, 1, 10, 30, 10), (12, 1, 10, 60, 5), (13, 1, 10, 100, 10), (14, 1, 10, 150, 5),
  (15, 1, 12, 30, 10), (16, 1, 12, 120, 5);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class)
SELECT id + 10, 1, 20, id, 1, 'kernel', 'compute' FROM range(11, 17) AS t(id);
INSERT INTO link
SELECT id, 1, 1, id, id + 10, 'launch', 'correlation', 1, 'default', 'l', 1
FROM range(11, 17) AS t(id);
