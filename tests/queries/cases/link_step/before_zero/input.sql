-- parameters: trace_id=1
-- Step 1 [-10 ms, 0), step 2 [0, 10 ms). Work without calls begins at -5 ms in step 1, and at 5 ms in step 2.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns, end_ts)
VALUES (1, 1, 't', 'kineto', 'kineto', 1, '0', TIMESTAMP '2026-01-01', 0, 0, 20000000);
INSERT INTO process (id, trace_id) VALUES (100, 1);
INSERT INTO track (id, trace_id, kind, process_id) VALUES (10, 1, 'thread', 100), (20, 1, 'stream', 100);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, number)
VALUES (1, 1, 10, -10000000, 10000000, 1), (2, 1, 10, 0, 10000000, 2);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, kind, class)
VALUES (21, 1, 20, -5000000, 9, 'kernel', 'compute'), (22, 1, 20, 5000000, 9, 'kernel', 'compute');
