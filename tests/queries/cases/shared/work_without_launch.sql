-- Slice 1 has a launch. 2 starts before it on its stream, 3 after it, 4 is alone on its stream; waits
-- are no work. So two were launched before the recording, and one launch was lost.
INSERT INTO run (id, name, kind, world_size, created_at)
VALUES (1, 'r', 'measured', NULL, TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  0, 0, NULL);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, correlation_id)
VALUES
  (9, 1, 0, 40, 5, 'cudaLaunchKernel', 7);
INSERT INTO gpu_op (slice_id, trace_id, track_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 7, 50, 10, 'a', 'kernel', 'compute'),
  (2, 1, 0, 7, 10, 10, 'b', 'kernel', 'compute'),
  (3, 1, 0, 7, 70, -1, NULL, 'memcpy', 'memory'),
  (4, 1, 1, 8, 90, 10, 'd', 'memset', 'memory'),
  (5, 1, 1, 8, 95, 10, 'w', 'sync', 'sync');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
VALUES
  (1, 1, 1, 9, 1, 'launch', 'correlation', 1, 'default', 'link_launch', 1);
