-- 1 caused work, 2 caused none. 4 lies between the begin (3) and the end (5) of a capture, 6 after it.
-- 7 is no call that must cause work, 8 is a copy, 9 is captured by another thread than its own.
-- 10 caused its work through 11, inside of it.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, correlation_id)
VALUES
  (1, 1, 0, 10, 5, 'cudaLaunchKernel', 1),
  (2, 1, 0, 20, 5, 'cuLaunchKernelEx', 2),
  (3, 1, 0, 30, 5, 'cudaStreamBeginCapture_v10000', 3),
  (4, 1, 0, 40, 5, 'cudaLaunchKernel', 4),
  (5, 1, 0, 50, 5, 'cudaStreamEndCapture', 5),
  (6, 1, 0, 60, 5, 'hipGraphLaunch', 6),
  (7, 1, 0, 70, 5, 'cudaStreamSynchronize', 7),
  (8, 1, 0, 15, 5, 'cudaMemcpyAsync', 8),
  (9, 1, 1, 41, 5, 'hipExtModuleLaunchKernel', 9),
  (10, 1, 1, 80, 5, 'hipModuleLaunchKernel', NULL),
  (11, 1, 1, 80, 0, 'aql_kernel_dispatch_packet_submitted', NULL);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
VALUES
  (1, 1, 1, 1, 100, 'launch', 'correlation', 1, 'default', 'link_launch', 1),
  (2, 1, 1, 11, 101, 'launch', 'order', 0.9, 'default', 'link_launch_order', 1);
