-- parameters: trace_id=1
-- Device 50 with streams 7 and 8, device 51 with stream 7. Work 21 [10, 30), 22 [30, 60) on stream 7,
-- 23 [15, 40) on stream 8, 24 [15, 90) on the other device, launched by 1 to 4.
-- 11 waits for stream 7 after all launches: 22. 12 waits for device 50: 22, but it ends too early, as
-- clocks may differ. 13 waits for event 5, recorded on stream 7 when 21 was launched and 22 was not.
-- 14 lets stream 8 wait for the same: the record 34 waits. 15 waits for stream 8 when 23 is done: for
-- nothing. 16 only asks.
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, correlation_id)
VALUES (1, 1, 1, 5, 1, 'cudaLaunchKernel', 1), (2, 1, 1, 9, 1, 'cudaLaunchKernel', 2),
  (3, 1, 1, 10, 1, 'cudaLaunchKernel', 3), (4, 1, 1, 11, 1, 'cudaLaunchKernel', 4),
  (5, 1, 1, 8, 1, 'cudaEventRecord', 5), (11, 1, 1, 20, 45, 'cudaStreamSynchronize', 11),
  (12, 1, 2, 20, 38, 'cudaDeviceSynchronize', 12), (13, 1, 3, 20, 15, 'cudaEventSynchronize', 13),
  (14, 1, 3, 12, 1, 'cudaStreamWaitEvent', 14), (15, 1, 4, 50, 5, 'cudaStreamSynchronize', 15),
  (16, 1, 4, 20, 5, 'cudaEventQuery', 16);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, kind, class, sync_kind,
  wait_on_stream, wait_on_correlation_id)
VALUES (21, 1, 0, 50, 7, 10, 20, 'kernel', 'compute', NULL, NULL, NULL),
  (22, 1, 0, 50, 7, 30, 30, 'kernel', 'compute', NULL, NULL, NULL),
  (23, 1, 0, 50, 8, 15, 25, 'kernel', 'compute', NULL, NULL, NULL),
  (24, 1, 0, 51, 7, 15, 75, 'kernel', 'compute', NULL, NULL, NULL),
  (31, 1, 0, 50, 7, 20, 44, 'sync', 'sync', 'Stream Sync', NULL, NULL),
  (32, 1, 0, 50, -1, 20, 37, 'sync', 'sync', 'Context Sync', NULL, NULL),
  (33, 1, 0, 50, -1, 20, 14, 'sync', 'sync', 'Event Sync', 7, 5),
  (34, 1, 0, 50, 8, 12, 1, 'sync', 'sync', 'Stream Wait Event', 7, 5),
  (35, 1, 0, 50, 8, 50, 4, 'sync', 'sync', 'Stream Sync', NULL, NULL),
  (36, 1, 0, 50, -1, 20, 4, 'sync', 'sync', 'Event Sync', 7, 5);
INSERT INTO link
SELECT g, 1, 1, c, g, CASE WHEN g > 30 THEN 'sync_call' ELSE 'launch' END, 'correlation', 1, 'default',
  'link_launch', 1
FROM (VALUES (1, 21), (2, 22), (3, 23), (4, 24), (11, 31), (12, 32), (13, 33), (14, 34), (15, 35),
  (16, 36)) AS t(c, g);
