-- input: shared/event_wait.sql
-- parameters: trace_id=1
-- The record of the wait names the streams and the recorded event.
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream, sync_kind, wait_on_stream, wait_on_correlation_id)
VALUES (14, 1, 4, 5, 23, 1, 'Stream Wait Event', 'sync', 'sync', 9, 'Stream Wait Event', 7, 103);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
VALUES (4, 1, 1, 5, 14, 'sync_call', 'correlation', 1, 'default', 'q', 1);
