-- Copy 21 is of pinned memory, 23 is small, 25 stays on the device, 24 never ended; 26 says its kinds of
-- memory in its name only. Memset 28 is asynchronous, 29 sets memory of the device.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'nsys', 'nsys', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO process (id, trace_id, pid) VALUES (1, 1, 42);
INSERT INTO thread (id, trace_id, process_id, tid, name) VALUES (1, 1, 1, 43, 'main');
INSERT INTO device (id, trace_id, kind, ordinal, name) VALUES (10, 1, 'gpu', 2, 'GPU');
INSERT INTO track (id, trace_id, kind, process_id, thread_id, device_id, stream) VALUES
  (100, 1, 'thread', 1, 1, NULL, NULL),
  (107, 1, 'stream', 1, NULL, 10, 7);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category) VALUES
  (10, 1, 100, 0, 10, 'cudaMemcpyAsync', 'cuda_runtime'),
  (11, 1, 100, 12, 2, 'cudaMemcpyAsync', 'cuda_runtime'),
  (12, 1, 100, 60, 40, 'cudaMemcpy', 'cuda_runtime'),
  (13, 1, 100, 110, 5, 'cudaMemcpy', 'cuda_runtime'),
  (14, 1, 100, 120, 30, 'cudaMemcpy', 'cuda_runtime'),
  (15, 1, 100, 160, 4, 'cudaMemcpy', 'cuda_runtime'),
  (16, 1, 100, 200, 4, 'cuMemcpyDtoHAsync_v2', 'cuda_driver'),
  (17, 1, 100, 300, 9, 'cudaMemset', 'cuda_runtime'),
  (18, 1, 100, 320, 2, 'cudaMemsetAsync', 'cuda_runtime'),
  (19, 1, 100, 330, 2, 'cudaMemset', 'cuda_runtime'),
  (30, 1, 100, 400, 100, 'cudaDeviceSynchronize', 'cuda_runtime'),
  (31, 1, 100, 520, 300, 'cudaStreamSynchronize_ptsz', 'cuda_runtime'),
  (32, 1, 100, 830, 7, 'cudaEventSynchronize', 'cuda_runtime'),
  (33, 1, 100, 840, -1, 'hipStreamSynchronize', 'hip_runtime');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class,
  context_id, bytes, direction, source_memory_kind, destination_memory_kind) VALUES
  (20, 1, 107, 10, 7, 20, 30, 'c', 'memcpy', 'memory', 1, 1000, 'HtoD', 'Pageable', 'Device'),
  (21, 1, 107, 10, 7, 50, 9, 'c', 'memcpy', 'memory', 1, 100000, 'HtoD', 'Pinned', 'Device'),
  (22, 1, 107, 10, 7, 70, 25, 'c', 'memcpy', 'memory', 1, 500, 'DtoH', 'Device', 'Pageable'),
  (23, 1, 107, 10, 7, 112, 2, 'c', 'memcpy', 'memory', 1, 65536, 'HtoD', 'Pageable', 'Device'),
  (24, 1, 107, 10, 7, 122, -1, 'c', 'memcpy', 'memory', 1, 65537, 'HtoD', 'Pageable', 'Device'),
  (25, 1, 107, 10, 7, 162, 2, 'c', 'memcpy', 'memory', 1, 70000, 'DtoD', 'Device', 'Device'),
  (26, 1, 107, 10, 7, 204, 8, 'Memcpy DtoH (Device -> Pageable)', 'memcpy', 'memory', NULL, 64,
   'DtoH', NULL, NULL),
  (27, 1, 107, 10, 7, 302, 5, 'm', 'memset', 'memory', 1, 32, NULL, 'Managed', NULL),
  (28, 1, 107, 10, 7, 322, 5, 'm', 'memset', 'memory', 1, 32, NULL, 'Managed', NULL),
  (29, 1, 107, 10, 7, 332, 5, 'm', 'memset', 'memory', 1, 32, NULL, 'Device', NULL);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
SELECT slice_id, 1, 1, slice_id - 10, slice_id, 'launch', 'correlation', 1, 'default', 'q', 1
FROM gpu_op;
