-- parameters: step=null range_name=null
-- No call is recorded: operators A and B (10 to 30, 50 to 70) stand for those of the work of their
-- name (40 to 80, 90 to 100). The work of B waits for that of A, which waits for its operator, which
-- follows C.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'x', 'x', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO process (id, trace_id, pid) VALUES (9, 1, 100);
INSERT INTO track (id, trace_id, kind, process_id) VALUES (5, 1, 'thread', 9), (7, 1, 'stream', NULL);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, category, depth, parent_id) VALUES
  (1, 1, 5, 0, 10, 'C', 'cpu_op', 0, NULL),
  (2, 1, 5, 10, 20, 'A', 'cpu_op', 0, NULL),
  (3, 1, 5, 50, 20, 'B', 'cpu_op', 0, NULL),
  (4, 1, 7, 40, 40, 'A', 'kernel', 0, NULL),
  (6, 1, 7, 90, 10, 'B', 'kernel', 0, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
SELECT id, trace_id, track_id, ts, dur, name FROM slice WHERE category = 'cpu_op';
INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name, category)
SELECT id, trace_id, track_id, ts, dur, name, category FROM slice WHERE category = 'cuda_runtime';
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
SELECT id, trace_id, track_id, 10, 7, ts, dur, name, 'kernel', 'compute'
FROM slice WHERE category = 'kernel';
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (1, 1, 1, 2, 4, 'op_device', 'name', 0.9, 'default', 'q', 1),
  (2, 1, 1, 3, 6, 'op_device', 'name', 0.9, 'default', 'q', 1);
