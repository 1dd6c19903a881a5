-- A thread launches a kernel and waits for it; the second kernel outlasts the step. Another step,
-- with another number, is longer.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (5, 1, 'gpu', 0);
INSERT INTO thread (id, trace_id, process_id, tid) VALUES (6, 1, 0, 42);
INSERT INTO track (id, trace_id, kind, thread_id, device_id, stream) VALUES (1, 1, 'thread', 6, NULL, NULL), (3, 1, 'stream', NULL, 5, 7);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 1, 100, 100, 'user_annotation', 'ProfilerStep#1', 0, NULL),
  (2, 1, 1, 110, 20, 'cpu_op', 'a', 1, 1),
  (3, 1, 1, 112, 4, 'cuda_runtime', 'launch', 2, 2),
  (4, 1, 1, 135, 20, 'cuda_runtime', 'synchronize', 1, 1),
  (5, 1, 1, 160, 30, 'cpu_op', 'b', 1, 1),
  (6, 1, 1, 165, 5, 'cuda_runtime', 'launch', 2, 5),
  (7, 1, 1, 300, 900, 'user_annotation', 'ProfilerStep#2', 0, NULL),
  (10, 1, 3, 120, 30, 'kernel', 'k', 0, NULL),
  (11, 1, 3, 172, 58, 'kernel', 'l', 0, NULL);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (1, 1, 1, 100, 100, 'ProfilerStep#1', 1), (7, 1, 1, 300, 900, 'ProfilerStep#2', 2);
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (3, 1, 1, 112, 4, 'launch'), (4, 1, 1, 135, 20, 'synchronize'), (6, 1, 1, 165, 5, 'launch');
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream) VALUES
  (10, 1, 3, 5, 120, 30, 'k', 'kernel', 'compute', 7),
  (11, 1, 3, 5, 172, 58, 'l', 'kernel', 'compute', 7);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (1, 1, 1, 3, 10, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 6, 11, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 10, 4, 'wait', 'sync record', 1, 'default', 'q', 1);
