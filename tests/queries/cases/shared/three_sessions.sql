-- Three sessions of trace 1 with operators a and b, and kernels of a. Operator 17 ends after the last
-- session, 18 never.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (1, 1, 1, 0, 10, 's', 0), (2, 1, 1, 10, 20, 's', 1), (3, 1, 1, 40, 40, 's', 2);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) VALUES
  (11, 1, 1, 1, 4, 'a'), (12, 1, 1, 12, 6, 'a'), (13, 1, 1, 20, 5, 'b'), (14, 1, 1, 42, 10, 'a'),
  (15, 1, 1, 55, 3, 'b'), (16, 1, 1, 60, 20, 'a'), (17, 1, 1, 70, 30, 'b'), (18, 1, 1, 75, -1, 'b');
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class, bytes) VALUES
  (21, 1, 2, 5, 3, 'k', 'kernel', 'compute', NULL), (22, 1, 2, 15, 8, 'k', 'kernel', 'compute', NULL),
  (23, 1, 2, 50, 4, 'c', 'memcpy', 'memory', 64), (24, 1, 2, 60, 6, 'k', 'kernel', 'compute', NULL);
INSERT INTO link (
  id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version
) VALUES
  (1, 1, 1, 11, 21, 'op_device', 'name', 0.9, 'default', 'q', 1),
  (2, 1, 1, 12, 22, 'op_device', 'name', 0.9, 'default', 'q', 1),
  (3, 1, 1, 14, 24, 'op_device', 'name', 0.9, 'default', 'q', 1);
