-- parameters: trace_id=1
-- Processes 1 (context 1 and 2) and 2 (context 1) use stream 7 of device 50. 31 waits for that of
-- process 2, context 1: 23, although 21 ends later. 32 waits for context 2 of process 1: 22. 13 waits
-- for all work of process 2, without a record: 23.
INSERT INTO process (id, trace_id, pid) VALUES (1, 1, 100), (2, 1, 200);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (50, 1, 'gpu', 0);
INSERT INTO track (id, trace_id, kind, process_id, device_id) VALUES
  (1, 1, 'thread', 1, NULL), (2, 1, 'thread', 2, NULL), (3, 1, 'stream', 1, 50),
  (4, 1, 'stream', 1, 50), (5, 1, 'stream', 2, 50);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (1, 1, 1, 1, 1, 'cudaLaunchKernel'), (2, 1, 1, 2, 1, 'cudaLaunchKernel'),
  (3, 1, 2, 3, 1, 'cudaLaunchKernel'), (11, 1, 2, 20, 75, 'cudaStreamSynchronize'),
  (12, 1, 1, 20, 75, 'cuCtxSynchronize'), (13, 1, 2, 21, 75, 'cudaDeviceSynchronize');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, context_id, stream, ts, dur, kind, class,
  sync_kind)
VALUES (21, 1, 3, 50, 1, 7, 10, 80, 'kernel', 'compute', NULL),
  (22, 1, 4, 50, 2, 7, 10, 20, 'kernel', 'compute', NULL),
  (23, 1, 5, 50, 1, 7, 10, 70, 'kernel', 'compute', NULL),
  (31, 1, 5, 50, 1, 7, 20, 75, 'sync', 'sync', 'Stream Sync'),
  (32, 1, 4, 50, 2, NULL, 20, 75, 'sync', 'sync', 'Context Sync');
INSERT INTO link
SELECT g, 1, 1, c, g, CASE WHEN g > 30 THEN 'sync_call' ELSE 'launch' END, 'correlation', 1, 'default',
  'link_launch', 1
FROM (VALUES (1, 21), (2, 22), (3, 23), (11, 31), (12, 32)) AS t(c, g);
