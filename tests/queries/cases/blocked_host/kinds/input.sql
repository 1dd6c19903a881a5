-- Waits of thread 1: 0-10, and 5-20 of a call inside, which counts from 10; a copy that is synchronous
-- by name, 30-35; one of pageable memory, 40-50, which ended when its call did. 60-61 is a copy that
-- lasted longer than its call, 70 an unfinished wait, 80 a kernel's launch: none of these is a wait.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (10, 1, 'gpu', 0);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
VALUES
  (101, 1, 1, 0, 10, 'cudaDeviceSynchronize'),
  (102, 1, 1, 5, 15, 'cudaStreamSynchronize'),
  (103, 1, 1, 30, 5, 'cudaMemcpy'),
  (104, 1, 1, 40, 10, 'cudaMemcpyAsync'),
  (105, 1, 1, 60, 1, 'cudaMemcpyAsync'),
  (106, 1, 1, 70, -1, 'cudaDeviceSynchronize'),
  (107, 1, 1, 80, 9, 'cudaLaunchKernel'),
  (108, 1, 2, 3, 4, 'hipStreamSynchronize');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 42, 8, 'c', 'memcpy', 'memory'),
  (2, 1, 0, 10, 7, 60, 9, 'c', 'memcpy', 'memory'),
  (3, 1, 0, 10, 7, 82, 2, 'k', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES
  (1, 1, 1, 104, 1, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 105, 2, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 107, 3, 'launch', 'correlation', 1, 'default', 'q', 1);
