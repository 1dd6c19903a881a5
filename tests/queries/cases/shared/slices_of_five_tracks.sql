-- 9 slices for 5 tracks: three tracks need one each, so the others may show three.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, clock_id)
VALUES
  (1, 1, 't0', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 5000, 0, 1),
  (2, 1, 't1', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 5100, 0, 2),
  (3, 1, 't2', 2, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 9000, 0, NULL);
INSERT INTO clock (id, trace_id, name, offset_ns, drift, uncertainty_ns, method)
VALUES
  (1, 1, 'monotonic', 0, NULL, 0, 'reference'),
  (2, 2, 'monotonic', -30, 0.001, 8, 'collective drift');
INSERT INTO process (id, trace_id, pid, name, rank, sort_index)
VALUES (1, 1, 70, 'python', NULL, 5), (2, 1, 0, 'device', NULL, 9), (3, 2, 71, 'python', 4, NULL);
INSERT INTO thread (id, trace_id, process_id, tid, name, is_main)
VALUES (1, 1, 1, 70, 'main', true), (2, 1, 1, 69, 'loader', false);
INSERT INTO device (id, trace_id, kind, ordinal, name) VALUES (1, 1, 'gpu', 0, 'H200');
INSERT INTO track (id, trace_id, kind, name, process_id, thread_id, device_id, stream)
VALUES
  (10, 1, 'thread', NULL, 1, 1, NULL, NULL),
  (11, 1, 'stream', 'stream 7', 2, NULL, 1, 7),
  (12, 1, 'thread', NULL, 1, 2, NULL, NULL),
  (13, 1, 'counter', 'memory', 1, NULL, NULL, NULL), -- no slices: no row
  (20, 2, 'thread', NULL, 3, NULL, NULL, NULL),
  (30, 3, 'async', 'requests', NULL, NULL, NULL, NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, depth, category, name)
VALUES
  -- Track 10: the longest three of seven; of three that last 20 the first two stored.
  (1, 1, 10, 0, 100, 0, 'cpu_op', 'a'),
  (2, 1, 10, 10, 20, 1, 'cpu_op', 'b'),
  (3, 1, 10, 40, 5, 1, 'cpu_op', 'c'),
  (4, 1, 10, 60, 20, 1, 'cpu_op', 'd'),
  (5, 1, 10, 46, 3, 1, 'user_annotation', NULL),
  (6, 1, 10, 99, -1, 1, NULL, 'never ended'),
  (7, 1, 10, 85, 20, 1, NULL, 'beyond its parent'),
  -- Track 11: all of its one.
  (8, 1, 11, -10, 30, 0, 'kernel', 'k'),
  -- Track 12: three of four; the other fills buckets whole.
  (9, 1, 12, 0, 200, 0, 'cpu_op', 'x'),
  (10, 1, 12, 200, 200, 0, 'cpu_op', 'y'),
  (11, 1, 12, 400, 200, 0, 'cpu_op', 'z'),
  (12, 1, 12, 610, 130, 0, 'cpu_op', 'split'),
  (13, 2, 20, 7, 0, 0, NULL, 'instant'),
  (14, 3, 30, 0, -5, 0, NULL, 'negative');
