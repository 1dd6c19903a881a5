-- parameters: trace_id=1
-- Kernels 30 and 31 of queue 7 are those of packets 20 and 21. Kernels 32 and 33 have no queue: they are
-- launched by the calls 22 and 23. Copy 34 goes to the device, as call 24 does, and copy 35 back. In
-- trace 2 there is one launch for two kernels.
INSERT INTO device (id, trace_id, kind, ordinal, properties_json)
VALUES (1, 1, 'gpu', 0, '{"source_id":"5"}');
INSERT INTO track (id, trace_id, kind, process_id, device_id) VALUES
  (100, 1, 'thread', 1, NULL), (101, 1, 'stream', 1, 1), (102, 1, 'stream', 1, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth, args_json) VALUES
  (20, 1, 100, 0, 0, 0, '{"agent_handle":5,"queue_id":7,"kernel_name":"a"}'),
  (21, 1, 100, 1, 0, 0, '{"agent_handle":5,"queue_id":7,"kernel_name":"b"}');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category) VALUES
  (20, 1, 100, 0, 0, 'aql_kernel_dispatch', 'hsa_queue'),
  (21, 1, 100, 1, 0, 'aql_kernel_dispatch', 'hsa_queue'),
  (22, 1, 100, 2, 1, 'hipLaunchKernel', 'hip_runtime'),
  (23, 1, 100, 4, 1, 'hipModuleLaunchKernel', 'hip_runtime'),
  (24, 1, 100, 6, 1, 'hipMemcpyHtoDAsync', 'hip_runtime'),
  (25, 1, 100, 5, 1, 'hipMemcpyDtoHAsync', 'hip_runtime'),
  (26, 1, 100, 8, 1, 'hipFree', 'hip_runtime'),
  (27, 2, 200, 0, 1, 'hipLaunchKernel', 'hip_runtime');
INSERT INTO gpu_op (
  slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream, direction
) VALUES
  (30, 1, 101, 1, 10, 1, 'a', 'kernel', 'compute', 7, NULL),
  (31, 1, 101, 1, 12, 1, 'b', 'kernel', 'compute', 7, NULL),
  (32, 1, 102, NULL, 11, 1, 'c', 'kernel', 'compute', NULL, NULL),
  (33, 1, 102, NULL, 14, 1, 'd', 'kernel', 'compute', NULL, NULL),
  (34, 1, 102, NULL, 16, 1, 'e', 'memcpy', 'memory', NULL, 'HtoD'),
  (35, 1, 102, NULL, 18, 1, 'e', 'memcpy', 'memory', NULL, 'DtoH'),
  (36, 1, 102, NULL, 20, 1, 'm', 'memset', 'memory', NULL, NULL),
  (37, 2, 201, NULL, 20, 1, 'k', 'kernel', 'compute', NULL, NULL),
  (38, 2, 201, NULL, 22, 1, 'k', 'kernel', 'compute', NULL, NULL);
