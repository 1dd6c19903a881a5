-- input: shared/event_wait.sql
-- parameters: trace_id=1
-- Without a record of the wait: c is what the thread launches next, a what was launched before the
-- record call. A second wait (call 40) contradicts the times: d (call 42) begins while b runs, which
-- was launched last.
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, correlation_id) VALUES
  (7, 1, 1, 36, 2, 'cudaEventRecord', 107), (8, 1, 1, 40, 2, 'cudaStreamWaitEvent', 108),
  (9, 1, 1, 42, 2, 'cudaLaunchKernel', 109);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream)
VALUES (13, 1, 4, 5, 60, 5, 'd', 'kernel', 'compute', 9);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
VALUES (4, 1, 1, 9, 13, 'launch', 'correlation', 1, 'default', 'q', 1);
