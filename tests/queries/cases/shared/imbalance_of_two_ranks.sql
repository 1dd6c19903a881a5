-- Rank 0 in step 7: 10 ns of compute, then 10 ns of communication of which 5 ns are behind compute,
-- 5 ns of nothing, a copy of 2 ns. Rank 1: 30 ns of compute. Step 8 is on rank 1 alone; another step
-- of rank 0 has no number. Kernel 5 belongs to no step.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
VALUES (101, 1, 1, 0, 50, 's', 7), (102, 1, 1, 50, 50, 's', NULL),
  (201, 2, 1, 0, 50, 's', 7), (202, 2, 1, 50, 50, 's', 8);
INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, stream, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 10, 7, 100, 10, 'a', 'kernel', 'compute'),
  (2, 1, 0, 10, 8, 105, 10, 'nccl', 'kernel', 'communication'),
  (3, 1, 0, 10, 9, 120, 2, 'copy', 'memcpy', 'memory'),
  (4, 1, 0, 10, 7, 200, 6, 'a', 'kernel', 'compute'),
  (5, 1, 0, 10, 7, 300, 6, 'a', 'kernel', 'compute'),
  (6, 2, 0, 20, 7, 100, 30, 'a', 'kernel', 'compute'),
  (7, 2, 0, 20, 7, 200, -1, 'a', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version)
VALUES (1, 1, 1, 101, 1, 'step', 'launch', 1, 'default', 'q', 1),
  (2, 1, 1, 101, 2, 'step', 'launch', 1, 'default', 'q', 1),
  (3, 1, 1, 101, 3, 'step', 'launch', 1, 'default', 'q', 1),
  (4, 1, 1, 102, 4, 'step', 'launch', 1, 'default', 'q', 1),
  (5, 2, 1, 201, 6, 'step', 'launch', 1, 'default', 'q', 1),
  (6, 2, 1, 202, 7, 'step', 'launch', 1, 'default', 'q', 1);
