-- A range r of domain d holds a range i; s starts and ends across them; m is a mark. Kernels 20 and 21
-- are launched in i, 22 (which never ended) and copy 23 in r, memset 24 outside; 21 starts before its call
-- returns. Two migrations of managed memory have no call, one call causes nothing. 32 only marks the
-- start of a recording.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'nsys', 'nsys', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO process (id, trace_id, pid) VALUES (1, 1, 42);
INSERT INTO thread (id, trace_id, process_id, tid, name, priority) VALUES (1, 1, 1, 43, 'main', 20);
INSERT INTO device (id, trace_id, kind, ordinal, name) VALUES (10, 1, 'gpu', 2, 'GPU');
INSERT INTO track (id, trace_id, kind, process_id, thread_id, device_id, stream) VALUES
  (100, 1, 'thread', 1, 1, NULL, NULL),
  (101, 1, 'async', 1, NULL, NULL, NULL),
  (107, 1, 'stream', 1, NULL, 10, 7);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id, args_json) VALUES
  (1, 1, 100, 0, 100, 'user_annotation', 'r', 0, NULL, NULL),
  (2, 1, 100, 10, 30, 'user_annotation', 'i', 1, 1, NULL),
  (3, 1, 101, 5, 50, 'user_annotation', 's', 0, NULL, NULL),
  (4, 1, 100, 50, 0, 'user_annotation', 'm', 1, 1, NULL),
  (10, 1, 100, 12, 4, 'cuda_runtime', 'cudaLaunchKernel', 2, 2, NULL),
  (11, 1, 100, 20, 10, 'cuda_runtime', 'cudaLaunchKernel', 2, 2, NULL),
  (12, 1, 100, 60, 4, 'cuda_driver', 'cuLaunchKernel', 1, 1, NULL),
  (13, 1, 100, 70, 20, 'cuda_runtime', 'cudaMemcpy', 1, 1, NULL),
  (14, 1, 100, 120, 2, 'cuda_runtime', 'cudaMemset', 0, NULL, NULL),
  (15, 1, 100, 130, 3, 'cuda_runtime', 'cudaFree', 0, NULL, NULL),
  (30, 1, 100, 200, 4, 'osrt', 'read', 0, NULL, NULL),
  (31, 1, 100, 210, 8, 'osrt', 'read', 0, NULL, '{"nestingLevel":0}'),
  (32, 1, 100, 220, 0, 'osrt', 'read', 0, NULL, '{"eventClass":31}'),
  (33, 1, 107, 230, 0, 'um_cpu_page_fault', 'CPU page fault', 0, NULL, NULL),
  (34, 1, 107, 240, 5, 'um_gpu_page_fault', 'GPU page faults', 0, NULL, '{"numberOfPageFaults":3}'),
  (35, 1, 107, 250, 5, 'um_gpu_page_fault', 'GPU page faults', 0, NULL, '{"numberOfPageFaults":2}');
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side, domain, style)
SELECT id, trace_id, track_id, ts, dur, name, 'host', CASE name WHEN 'r' THEN 'd' END,
  CASE name WHEN 's' THEN 'start_end' WHEN 'm' THEN 'mark' WHEN 'i' THEN 'push_pop' END
FROM slice WHERE category = 'user_annotation';
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category, correlation_id, result)
SELECT id, trace_id, track_id, ts, dur, name, category, id + 80, CASE id WHEN 15 THEN 1 ELSE 0 END
FROM slice WHERE id BETWEEN 10 AND 15;
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class,
  correlation_id, context_id, bytes, direction, grid_x, block_x, is_unified, virtual_address, base_name,
  mangled_name, source_memory_kind, destination_memory_kind, registers_per_thread) VALUES
  (20, 1, 107, 10, 7, 18, 10, 'a(int)', 'kernel', 'compute', 90, 1, NULL, NULL, 8, 32, NULL, NULL, 'a', '_Za', NULL, NULL, 16),
  (21, 1, 107, 10, 7, 28, 20, 'a(int)', 'kernel', 'compute', 91, 1, NULL, NULL, 8, 64, NULL, NULL, 'a', '_Za', NULL, NULL, 16),
  (22, 1, 107, 10, 7, 70, -1, 'b', 'kernel', 'compute', 92, 1, NULL, NULL, 8, 32, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (23, 1, 107, 10, 7, 80, 5, 'Memcpy HtoD', 'memcpy', 'memory', 93, 1, 100, 'HtoD', NULL, NULL, false, NULL, NULL, NULL, 'Pinned', 'Device', NULL),
  (24, 1, 107, 10, 7, 125, 2, 'Memset', 'memset', 'memory', 94, 1, 32, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'Device', NULL, NULL),
  (25, 1, 107, 10, 7, 140, 8, 'Unified Memcpy DtoH', 'memcpy', 'memory', NULL, NULL, 64, 'DtoH', NULL, NULL, true, 4096, NULL, NULL, NULL, NULL, NULL),
  (26, 1, 107, 10, 7, 150, 4, 'Unified Memcpy HtoD', 'memcpy', 'memory', NULL, NULL, 128, 'HtoD', NULL, NULL, true, 8192, NULL, NULL, NULL, NULL, NULL),
  (27, 1, 107, 10, 7, 160, 9, 'Context Sync', 'sync', 'sync', NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 10, 20, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 11, 21, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 12, 22, 'launch', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 13, 23, 'launch', 'correlation', 1, 'default', 'q', 1),
  (5, 1, 1, 14, 24, 'launch', 'correlation', 1, 'default', 'q', 1),
  (6, 1, 1, 2, 20, 'annotation', 'containment', 1, 'default', 'q', 1),
  (7, 1, 1, 2, 21, 'annotation', 'containment', 1, 'default', 'q', 1),
  (8, 1, 1, 1, 22, 'annotation', 'containment', 1, 'default', 'q', 1),
  (9, 1, 1, 1, 23, 'annotation', 'containment', 1, 'default', 'q', 1);
