-- parameters: trace_id=1
-- Two ranks of two hosts in one file, each on its device 0, which is shown once: work of both is on
-- one stream. The External ids of 30 and 31 tell whose they are; 32 and 33 may be of either.
INSERT INTO process (id, trace_id, pid) VALUES (1, 1, 99), (2, 1, 98), (3, 1, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO track (id, trace_id, kind, process_id, device_id) VALUES
  (100, 1, 'thread', 1, NULL), (200, 1, 'thread', 2, NULL), (101, 1, 'stream', 3, 10);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, correlation_id, external_id) VALUES
  (10, 1, 100, 0, 2, 5, 70), (11, 1, 100, 10, 2, 6, NULL),
  (20, 1, 200, 5, 2, 5, 71), (21, 1, 200, 15, 2, 6, NULL);
INSERT INTO gpu_op
  (slice_id, trace_id, track_id, device_id, ts, dur, kind, class, correlation_id, external_id)
VALUES
  (30, 1, 101, 10, 8, 20, 'kernel', 'compute', 5, 70), (31, 1, 101, 10, 9, 5, 'kernel', 'compute', 5, 71),
  (32, 1, 101, 10, 40, 5, 'kernel', 'compute', 6, 70), (33, 1, 101, 10, 41, 5, 'kernel', 'compute', 6, 71);
