-- a (call 10) runs on stream 7 from 20 to 50, an event is recorded there (call 14), b (call 18) runs
-- from 50 to 70; stream 9 waits for the event (call 22) and runs c (call 30) from 55 to 60.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (5, 1, 'gpu', 0);
INSERT INTO track (id, trace_id, kind, process_id, device_id, stream) VALUES
  (1, 1, 'thread', 8, NULL, NULL), (3, 1, 'stream', NULL, 5, 7), (4, 1, 'stream', NULL, 5, 9);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, correlation_id) VALUES
  (2, 1, 1, 10, 2, 'cudaLaunchKernel', 102), (3, 1, 1, 14, 2, 'cudaEventRecord', 103),
  (4, 1, 1, 18, 2, 'cudaLaunchKernel', 104), (5, 1, 1, 22, 2, 'cudaStreamWaitEvent', 105),
  (6, 1, 1, 30, 2, 'cudaLaunchKernel', 106);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream) VALUES
  (10, 1, 3, 5, 20, 30, 'a', 'kernel', 'compute', 7),
  (11, 1, 3, 5, 50, 20, 'b', 'kernel', 'compute', 7),
  (12, 1, 4, 5, 55, 5, 'c', 'kernel', 'compute', 9);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (1, 1, 1, 2, 10, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 4, 11, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 6, 12, 'launch', 'correlation', 1, 'default', 'q', 1);
