-- parameters: trace_id=1
-- Processes 99 and 98 count alike, and each has a device; the file shows devices as processes 0 and 1.
-- Work 30 on device 0 began before 98 called with its id, so device 0 is of 99. Work of device 1 fits both,
-- and 98 called later. Work 36 has an id that only 99 used: its own call was not recorded.
INSERT INTO process (id, trace_id, pid) VALUES (1, 1, 99), (2, 1, 98), (3, 1, 0), (4, 1, 1);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0), (11, 1, 'gpu', 1);
INSERT INTO track (id, trace_id, kind, process_id, device_id) VALUES
  (100, 1, 'thread', 1, NULL), (200, 1, 'thread', 2, NULL), (101, 1, 'stream', 3, 10),
  (102, 1, 'stream', 3, 10), (201, 1, 'stream', 4, 11);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, correlation_id) VALUES
  (10, 1, 100, 0, 2, 5), (11, 1, 100, 10, 2, 6), (12, 1, 100, 20, 2, 7), (13, 1, 100, 60, 2, 8),
  (20, 1, 200, 5, 2, 5), (21, 1, 200, 15, 2, 6), (22, 1, 200, 25, 2, 7), (23, 1, 200, 26, 2, 9);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, kind, class, correlation_id)
VALUES
  (30, 1, 101, 10, 3, 20, 'kernel', 'compute', 5), (31, 1, 101, 10, 30, 5, 'kernel', 'compute', 6),
  (32, 1, 102, 10, 40, 5, 'kernel', 'compute', 7),
  (33, 1, 201, 11, 8, 20, 'kernel', 'compute', 5), (34, 1, 201, 11, 31, 5, 'kernel', 'compute', 6),
  (35, 1, 201, 11, 41, 5, 'kernel', 'compute', 7), (37, 1, 201, 11, 46, 5, 'kernel', 'compute', 9),
  (36, 1, 201, 11, 70, 5, 'kernel', 'compute', 8);
