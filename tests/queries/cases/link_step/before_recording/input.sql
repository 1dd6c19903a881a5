-- parameters: trace_id=1
-- Step 1 [0, 100), step 2 [100, 200). On stream 20 work 21 and 22 have no call, and work 23 was called
-- in step 1: both were called before the recording began. Work 24 has no call; the next one of the
-- stream, 25, was called in step 1, so 24 was as well, though it runs in step 2. On stream 30 no call
-- is known: 31 belongs to the step in which it begins.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns, end_ts)
VALUES (1, 1, 't', 'kineto', 'kineto', 1, '0', TIMESTAMP '2026-01-01', 0, 0, 500);
INSERT INTO process (id, trace_id) VALUES (100, 1), (101, 1);
INSERT INTO track (id, trace_id, kind, process_id)
VALUES (10, 1, 'thread', 100), (20, 1, 'stream', 101), (30, 1, 'stream', 101);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, number)
VALUES (1, 1, 10, 0, 100, 1), (2, 1, 10, 100, 100, 2);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur) VALUES (11, 1, 10, 20, 5), (12, 1, 10, 90, 5);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class)
VALUES (21, 1, 20, 5, 10, 'kernel', 'compute'), (22, 1, 20, 15, 10, 'kernel', 'compute'),
  (23, 1, 20, 40, 60, 'kernel', 'compute'), (24, 1, 20, 110, 9, 'kernel', 'compute'),
  (25, 1, 20, 120, 9, 'kernel', 'compute'), (31, 1, 30, 150, 9, 'kernel', 'compute');
INSERT INTO link VALUES
  (1, 1, 1, 11, 23, 'launch', 'correlation', 1, 'default', 'link_launch', 1),
  (2, 1, 1, 12, 25, 'launch', 'correlation', 1, 'default', 'link_launch', 1);
