-- The thread of the backward pass goes on where that of the forward pass stopped; its second kernel
-- waits, on another stream, for the first.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0);
INSERT INTO device (id, trace_id, kind, ordinal) VALUES (5, 1, 'gpu', 0);
INSERT INTO thread (id, trace_id, process_id, tid) VALUES (6, 1, 0, 42), (7, 1, 0, 43);
INSERT INTO track (id, trace_id, kind, thread_id, device_id, stream) VALUES
  (1, 1, 'thread', 6, NULL, NULL), (2, 1, 'thread', 7, NULL, NULL),
  (3, 1, 'stream', NULL, 5, 7), (4, 1, 'stream', NULL, 5, 20);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 1, 0, 100, 'user_annotation', 'ProfilerStep#1', 0, NULL),
  (2, 1, 1, 5, 15, 'cpu_op', 'forward', 1, 1),
  (3, 1, 1, 80, 10, 'cpu_op', 'optimizer', 1, 1),
  (4, 1, 2, 30, 40, 'cpu_op', 'backward', 0, NULL),
  (5, 1, 2, 35, 3, 'cuda_runtime', 'launch', 1, 4),
  (8, 1, 2, 39, 1, 'cuda_runtime', 'record event', 1, 4),
  (7, 1, 2, 40, 1, 'cuda_runtime', 'wait event', 1, 4),
  (6, 1, 2, 42, 2, 'cuda_runtime', 'launch', 1, 4),
  (10, 1, 3, 40, 20, 'kernel', 'k', 0, NULL),
  (11, 1, 4, 65, 55, 'kernel', 'l', 0, NULL),
  (12, 1, 4, 40, 20, 'cuda_sync', 'Stream Wait Event', 0, NULL);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES (1, 1, 1, 0, 100, 'ProfilerStep#1', 1);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (2, 1, 1, 5, 15, 'forward'), (3, 1, 1, 80, 10, 'optimizer'), (4, 1, 2, 30, 40, 'backward');
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, correlation_id) VALUES
  (5, 1, 2, 35, 3, 'launch', 75), (8, 1, 2, 39, 1, 'record event', 77),
  (7, 1, 2, 40, 1, 'wait event', 78), (6, 1, 2, 42, 2, 'launch', 79);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream, sync_kind, wait_on_stream, wait_on_correlation_id) VALUES
  (10, 1, 3, 5, 40, 20, 'k', 'kernel', 'compute', 7, NULL, NULL, NULL),
  (11, 1, 4, 5, 65, 55, 'l', 'kernel', 'compute', 20, NULL, NULL, NULL),
  (12, 1, 4, 5, 40, 20, 'Stream Wait Event', 'sync', 'sync', 20, 'Stream Wait Event', 7, 77);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version) VALUES
  (1, 1, 1, 5, 10, 'launch', 'correlation', 1, 'default', 'q', 1),
  (2, 1, 1, 6, 11, 'launch', 'correlation', 1, 'default', 'q', 1),
  (3, 1, 1, 7, 12, 'sync_call', 'correlation', 1, 'default', 'q', 1),
  (4, 1, 1, 2, 4, 'forward_backward', 'sequence_number', 1, 'default', 'q', 1),
  (5, 1, 1, 10, 11, 'event_wait', 'cuda_sync', 1, 'default', 'q', 1),
  (6, 1, 1, 2, 4, 'hand_over', 'pause', 0.8, 'default', 'q', 1),
  (7, 1, 1, 4, 3, 'hand_over', 'pause', 0.8, 'default', 'q', 1);
