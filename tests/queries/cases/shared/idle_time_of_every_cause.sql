-- Thread 1 launches, on stream 7 of the device, work whose gaps have these causes:
-- 10-40 host: the call began at 20; 50-90 host_sync: the thread waited from 45 to 60 and called at 80;
-- 100-130 launch: the call lasted from 95 to 120; 140-160 stream_wait: the thread called at 96, when
-- it had told the stream to wait at 94, and work of stream 8 ended at 155; 170-175 kernel: called
-- long before; 180-200 communication: likewise, but too long, and that of stream 9 ended; 210-220 unknown: no call is known; 230-250 from
-- the same call as the work before, which was under way: unknown too.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
VALUES
  (101, 1, 1, 0, 5, 'cudaLaunchKernel'),
  (102, 1, 1, 20, 6, 'cudaLaunchKernel'),
  (103, 1, 1, 45, 15, 'cudaStreamSynchronize'),
  (104, 1, 1, 80, 5, 'cudaLaunchKernel'),
  (105, 1, 1, 92, 1, 'cudaLaunchKernel'),
  (106, 1, 1, 93, 1, 'cudaLaunchKernel'),
  (107, 1, 1, 94, 1, 'cudaStreamWaitEvent'),
  (108, 1, 1, 96, 1, 'cudaLaunchKernel'),
  (109, 1, 1, 98, 22, 'cudaLaunchKernel'),
  (110, 1, 2, 0, 1, 'cudaLaunchKernel'),
  (111, 1, 2, 225, 30, 'cudaGraphLaunch');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 5, 5, 'a', 'kernel', 'compute'),
  (2, 1, 0, 10, 7, 40, 10, 'b', 'kernel', 'compute'),
  (3, 1, 0, 10, 7, 90, 10, 'c', 'kernel', 'compute'),
  (4, 1, 0, 10, 7, 130, 10, 'd', 'kernel', 'compute'),
  (5, 1, 0, 10, 8, 1, 154, 'other stream', 'kernel', 'compute'),
  (6, 1, 0, 10, 7, 160, 10, 'e', 'kernel', 'compute'),
  (7, 1, 0, 10, 7, 175, 5, 'f', 'kernel', 'compute'),
  (8, 1, 0, 10, 7, 200, 10, 'g', 'kernel', 'compute'),
  (9, 1, 0, 10, 7, 220, 10, 'h', 'kernel', 'compute'),
  (10, 1, 0, 10, 7, 230, 0, 'i', 'kernel', 'compute'),
  (11, 1, 0, 10, 7, 250, 10, 'j', 'kernel', 'compute'),
  (12, 1, 0, 10, 9, 100, 91, 'k', 'kernel', 'communication');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 101, 1, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 102, 2, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 104, 3, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 109, 4, 'launch', 'correlation', 1, 'default', 'q', 1),
  (5, 1, 1, 110, 5, 'launch', 'correlation', 1, 'default', 'q', 1),
  (6, 1, 1, 108, 6, 'launch', 'correlation', 1, 'default', 'q', 1),
  (7, 1, 1, 105, 7, 'launch', 'correlation', 1, 'default', 'q', 1),
  (8, 1, 1, 106, 8, 'launch', 'correlation', 1, 'default', 'q', 1),
  (10, 1, 1, 111, 10, 'launch', 'correlation', 1, 'default', 'q', 1),
  (11, 1, 1, 111, 11, 'launch', 'correlation', 1, 'default', 'q', 1);
