-- Step 1 [0, 100) and step 2 [100, 200) on thread 10. Slices 11 and 12 begin in them, 12 at the very
-- start; 13 is on another thread and ends in the next step; 14 begins after the last step.
-- On the device (track 20): work 21 runs during step 2 and was launched in step 1; 22 was launched in
-- no step; the link of another set does not count. The annotation 23 and the wait 24 have no step.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns, end_ts)
VALUES (1, 1, 't', 'kineto', 'kineto', 1, '0', TIMESTAMP '2026-01-01', 0, 0, 500);
INSERT INTO process (id, trace_id) VALUES (100, 1), (101, 1);
INSERT INTO track (id, trace_id, kind, process_id, device_id)
VALUES (10, 1, 'thread', 100, NULL), (11, 1, 'thread', 100, NULL), (20, 1, 'stream', 101, 50);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth)
VALUES (1, 1, 10, 0, 100, 'user_annotation', 'ProfilerStep#7', 0),
  (2, 1, 10, 100, 100, 'user_annotation', 'ProfilerStep#8', 0),
  (11, 1, 10, 40, 10, 'cpu_op', 'a', 1), (12, 1, 10, 100, 0, 'cpu_op', 'b', 1),
  (13, 1, 11, 99, 60, 'cpu_op', 'c', 0), (14, 1, 10, 200, 5, 'cpu_op', 'd', 0),
  (21, 1, 20, 120, 30, 'kernel', 'k', 0), (22, 1, 20, 60, 9, 'kernel', 'k', 0),
  (23, 1, 20, 120, 30, 'gpu_user_annotation', 'n', 0), (24, 1, 20, 150, 30, 'cuda_sync', 's', 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, number)
VALUES (1, 1, 10, 0, 100, 7), (2, 1, 10, 100, 100, 8);
INSERT INTO link VALUES
  (1, 1, 1, 1, 21, 'step', 'launch', 1, 'default', 'link_step', 1),
  (2, 1, 1, 2, 22, 'step', 'launch', 1, 'other', 'elsewhere', 1);
