-- A graph launch of two kernels, which lasts longer than both; a launch whose kernel waited 90 ns; one
-- whose copy began before its call did; a call without work is no launch.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
VALUES
  (101, 1, 1, 0, 30, 'cudaGraphLaunch'),
  (102, 1, 1, 40, 10, 'cudaLaunchKernel'),
  (103, 1, 1, 210, 20, 'cudaMemcpyAsync'),
  (104, 1, 1, 300, 9, 'cudaLaunchKernel');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 20, 15, 'a', 'kernel', 'compute'),
  (2, 1, 0, 10, 7, 35, 5, 'b', 'kernel', 'compute'),
  (3, 1, 0, 10, 7, 140, 60, 'a', 'kernel', 'compute'),
  (4, 1, 0, 10, 8, 205, 20, 'c', 'memcpy', 'memory'),
  (5, 1, 0, 10, 8, 400, 20, 'no call', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 101, 1, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 101, 2, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 102, 3, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 103, 4, 'launch', 'correlation', 1, 'default', 'q', 1);
