-- parameters: chunks=4 max_share=0.4
-- Process 1 uses the device from 0 to 301, in pieces of 76: 35 ns of two operations, 10, the profiler's 28
-- of 30 and its other 2 with 1 of 73. The first piece is used more, the others are one. Process 2 has one
-- operation and uses all of its time.
-- Overhead of another name, and overhead that lasts beyond the last operation, do not count.
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
INSERT INTO process (id, trace_id, pid) VALUES (2, 1, 52);
INSERT INTO track (id, trace_id, kind, process_id, thread_id, device_id, stream) VALUES
  (108, 1, 'stream', 1, NULL, 10, 8),
  (109, 1, 'stream', 2, NULL, 10, 7);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth) VALUES
  (1, 1, 100, -500, 20, 'overhead', 'CUDA profiling overhead', 0),
  (2, 1, 100, 200, 30, 'overhead', 'CUDA profiling overhead', 0),
  (3, 1, 100, 100, 40, 'overhead', 'Buffer flush', 0),
  (4, 1, 100, 250, 100, 'overhead', 'CUDA profiling stop overhead', 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class) VALUES
  (20, 1, 107, 10, 7, 0, 30, 'a', 'kernel', 'compute'),
  (21, 1, 108, 10, 8, 10, 5, 'b', 'kernel', 'compute'),
  (22, 1, 107, 10, 7, 80, 10, 'c', 'memcpy', 'memory'),
  (23, 1, 108, 10, 8, 85, -1, 'd', 'kernel', 'compute'),
  (24, 1, 107, 10, 7, 120, 60, 'w', 'sync', 'sync'),
  (25, 1, 109, 10, 7, 150, 60, 'e', 'kernel', 'compute'),
  (26, 1, 107, 10, 7, 300, 1, 'f', 'kernel', 'compute');
