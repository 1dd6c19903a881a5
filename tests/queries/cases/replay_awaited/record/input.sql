-- input: shared/event_wait.sql
-- Stream 9 waits for an event of stream 7, recorded after a was launched: c depends on a. Then stream 7
-- waits for an event of stream 9 (calls 44 and 46) and launches nothing; a wait for stream 7 (call 50)
-- depends on b, the last work there, and, by the event, on c.
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, correlation_id) VALUES
  (7, 1, 1, 44, 1, 'cudaEventRecord', 107), (8, 1, 1, 46, 1, 'cudaStreamWaitEvent', 108),
  (9, 1, 1, 50, 25, 'cudaStreamSynchronize', 109);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id)
SELECT slice_id, trace_id, track_id, ts, dur, 'cuda_runtime', name, 0, NULL FROM launch;
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream, sync_kind, wait_on_stream, wait_on_correlation_id)
VALUES
  (14, 1, 4, 5, 23, 1, 'Stream Wait Event', 'sync', 'sync', 9, 'Stream Wait Event', 7, 103),
  (15, 1, 3, 5, 47, 1, 'Stream Wait Event', 'sync', 'sync', 7, 'Stream Wait Event', 9, 107),
  (16, 1, 3, 5, 51, 20, 'Stream Sync', 'sync', 'sync', 7, 'Stream Sync', NULL, NULL);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (4, 1, 1, 5, 14, 'sync_call', 'correlation', 1, 'default', 'q', 1),
  (5, 1, 1, 8, 15, 'sync_call', 'correlation', 1, 'default', 'q', 1),
  (6, 1, 1, 9, 16, 'sync_call', 'correlation', 1, 'default', 'q', 1);
