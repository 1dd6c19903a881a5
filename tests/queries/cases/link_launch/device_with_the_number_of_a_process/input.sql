-- parameters: trace_id=1
-- Device 1 is shown as process 1, which is also the number of a process that makes calls, as in a
-- container; another process makes calls, too. Kernel 30 may be of either: the last call counts.
-- Kernel 31 has an id of its own.
INSERT INTO process (id, trace_id, pid) VALUES (1, 1, 1), (2, 1, 99);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 1);
INSERT INTO track (id, trace_id, kind, process_id, device_id) VALUES
  (100, 1, 'thread', 1, NULL), (200, 1, 'thread', 2, NULL), (101, 1, 'stream', 1, 10);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, category, correlation_id) VALUES
  (20, 1, 100, 0, 5, 'cuda_runtime', 5), (21, 1, 200, 10, 5, 'cuda_runtime', 5),
  (22, 1, 200, 20, 5, 'cuda_runtime', 6);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, kind, class, correlation_id)
VALUES (30, 1, 101, 10, 30, 1, 'kernel', 'compute', 5), (31, 1, 101, 10, 40, 1, 'kernel', 'compute', 6);
