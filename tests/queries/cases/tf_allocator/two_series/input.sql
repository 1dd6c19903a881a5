-- input: shared/three_sessions.sql
-- A queue, and a counter of an allocator.
INSERT INTO track (id, trace_id, kind, name, unit) VALUES
  (100, 1, 'counter', 'queue 0x7f', 'count'), (101, 1, 'counter', 'gpu_bfc bytes_in_use', 'byte');
INSERT INTO counter (id, trace_id, track_id, ts, value) VALUES
  (1, 1, 100, 5, 2), (2, 1, 100, 9, 5), (3, 1, 101, 1, 64), (4, 1, 101, 7, 256), (5, 1, 101, 8, 128);
